import {expect} from 'chai';
import {readShardedPages} from '../../../src/store/postgres/pages.js';

/** A table that counts the reads and the rows that its shards send. */
interface Table {
  read(after: string, upTo: string | undefined, limit: number): Promise<readonly string[]>;
  sent: number;
  reads: number;
}

const shards = 32;

/** A table with these keys as Citus reads it: each shard sends up to `limit` rows. */
function makeTable(keys: readonly string[]): Table {
  const sorted = [...keys].sort();
  return {
    sent: 0,
    reads: 0,
    async read(after, upTo, limit) {
      const range = sorted.filter((key) => key > after && (upTo === undefined || key <= upTo));
      this.reads += 1;
      this.sent += Math.min(range.length, limit * shards);
      return range.slice(0, limit);
    },
  };
}

async function readAll(table: Table, after = '', limit = Number.POSITIVE_INFINITY) {
  const all: string[] = [];
  for await (const rows of readShardedPages(
    (...range) => table.read(...range),
    (key) => key,
    after,
    limit,
  )) {
    all.push(...rows);
  }
  return all;
}

const id = (number: number) => `con_${number.toString(32).toUpperCase().padStart(26, '0')}`;

describe('reading a table with many shards in the order of its keys', () => {
  const distributions: Readonly<Record<string, readonly string[]>> = {
    'evenly spread keys': Array.from({length: 30_000}, (_, index) => id(index * 977)),
    'keys in bursts': Array.from({length: 30_000}, (_, index) =>
      id(Math.floor(index / 5000) * 10 ** 9 + (index % 5000) * 3),
    ),
    'keys that get denser': Array.from({length: 30_000}, (_, index) =>
      id(Math.floor(Math.sqrt(index * 10 ** 9))),
    ),
    'no keys': [],
    'one key': [id(1)],
    'keys of any characters': Array.from(
      {length: 500},
      (_, index) => `${'é€👩z~ '.slice(index % 5)}${index}`,
    ),
  };

  for (const [name, keys] of Object.entries(distributions)) {
    it(`yields each row once and in order, with ${name}`, async () => {
      const table = makeTable(keys);
      expect(await readAll(table)).to.deep.equal([...keys].sort());
    });
  }

  for (const name of ['evenly spread keys', 'keys in bursts', 'keys that get denser']) {
    it(`takes few reads and fetches few surplus rows, with ${name}`, async () => {
      const table = makeTable(distributions[name]!);
      await readAll(table);
      expect(table.sent / 30_000).to.be.below(4);
      expect(table.reads).to.be.below(60);
    });
  }

  it('yields a page after any key', async () => {
    const keys = distributions['evenly spread keys']!;
    const table = makeTable(keys);
    expect(await readAll(table, keys[10_000], 1000)).to.deep.equal(keys.slice(10_001, 11_001));
    expect(table.sent).to.be.below(6000);
  });
});
