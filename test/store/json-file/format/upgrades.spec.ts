import fs from 'node:fs/promises';
import {expect} from 'chai';
import {firstKey} from '../../../../src/domain/connector-keys.js';
import {type ConnectorRecord, newConnectorDefaults} from '../../../../src/domain/records.js';
import {encodeLine} from '../../../../src/store/json-file/format/lines.js';
import {
  formatVersion,
  upgrades as ownUpgrades,
  type Upgrades,
} from '../../../../src/store/json-file/format/upgrades.js';
import {JsonFileStore} from '../../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../../support/store/samples.js';

/**
 * An invented older version, which calls connectors `machine` and the organization `org`. It shows
 * that each record goes through its upgrade.
 */
const oldVersion = 0;

const upgrades: Upgrades = new Map([
  ...ownUpgrades,
  [
    oldVersion,
    (record) => {
      if (typeof record !== 'object' || record === null || !('type' in record)) return record;
      if (record.type !== 'machine') return record;
      const {org, ...rest} = record as Record<string, unknown>;
      return {...rest, type: 'connector', organization: org};
    },
  ],
]);

/** Writes a file of the older version, with the chain of checksums that every version has. */
function encodeFile(lines: readonly object[], seed: number): {text: string; chain: number} {
  let chain = seed;
  let text = '';
  for (const line of lines) {
    const {bytes, crc} = encodeLine(JSON.stringify(line).slice(1, -1), chain);
    text += bytes.toString();
    chain = crc;
  }
  return {text, chain};
}

describe('a JSON file store of an older format', () => {
  const directory = useStoreDirectory();
  let expected: ConnectorRecord[];
  let before: Record<string, string>;

  beforeEach(async () => {
    const machine = (number: number) => ({
      id: `con_${number}`,
      name: `machine ${number}`,
      keyHash: `hash ${number}`,
      activatedAt: directory.now,
      ...newConnectorDefaults,
    });
    expected = [1, 2, 3].map((number) => ({
      ...machine(number),
      organization: 'acme',
      ...firstKey,
    }));
    const old = (number: number) => ({type: 'machine', org: 'acme', ...machine(number)});
    const version = oldVersion;
    const first = encodeFile([{type: 'journal', version, segment: 1}], 0);
    const snapshot = encodeFile(
      [
        {type: 'snapshot', version, segment: 2, chain: first.chain},
        {records: [old(1), old(2)]},
        {type: 'end', count: 2},
      ],
      0,
    );
    const journal = encodeFile(
      [{type: 'journal', version, segment: 2}, {records: [old(3)]}],
      first.chain,
    );
    const description = encodeFile(
      [
        {
          format: 'connectorctl json store',
          version,
          createdAt: directory.now,
          serverSecret: Buffer.alloc(32, 5).toString('base64url'),
        },
      ],
      0,
    );
    await fs.mkdir(directory.path, {mode: 0o700});
    for (const [name, {text}] of Object.entries({
      'store.json': description,
      'snapshot-000002.jsonl': snapshot,
      'journal-000002.jsonl': journal,
    })) {
      await fs.writeFile(directory.file(name), text, {mode: 0o600});
    }
    before = await directory.contents();
  });

  const backup = async (): Promise<Record<string, string>> => {
    const entries = Object.keys(before).map(async (name) => [
      name,
      await fs.readFile(directory.file(`backup-version-0/${name}`), 'latin1'),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  };

  it('is migrated after a backup, and logs both', async () => {
    const store = await directory.open({upgrades});
    expect(await listAll(store, 'acme')).to.deep.equal(expected);
    expect(Buffer.from(store.serverSecret)).to.deep.equal(Buffer.alloc(32, 5));
    const added = await activate(store);
    await store.close();
    expect(await backup()).to.deep.equal(before);
    const messages = directory.log
      .filter(({level}) => level === 'info')
      .map(({message}) => message);
    expect(messages).to.deep.equal(['store backed up before its migration', 'store migrated']);
    for (const text of Object.values(await directory.contents())) {
      expect(text).to.include(`"version":${formatVersion}`);
      expect(text).not.to.include('machine"');
    }
    // The store now opens without the upgrade.
    const again = await directory.open();
    expect(await listAll(again, 'acme')).to.deep.equal([added, ...expected]);
    await again.close();
  });

  it('is refused, unmodified, by a build without an upgrade for it', async () => {
    const error = expectKind(await rejection(directory.open()), 'format');
    expect(error.message).to.include('version 0 is older than this build can migrate');
    expect(await directory.contents()).to.deep.equal(before);
  });

  it('is refused, unmodified, when it is damaged', async () => {
    const journal = directory.file('journal-000002.jsonl');
    await fs.writeFile(journal, (before['journal-000002.jsonl'] ?? '').replace('con_3', 'con_4'));
    const damaged = await directory.contents();
    expectKind(await rejection(directory.open({upgrades})), 'damaged');
    expect(await directory.contents()).to.deep.equal(damaged);
  });

  it('is migrated by a second attempt after the first fails at any step', async () => {
    for (let step = 1, failed = true; failed; step += 1) {
      let count = 0;
      failed = false;
      const files = watchedFiles(({name, file}) => {
        // This process continues, so it must be able to release the lock and close its files.
        if (name === 'handle.close' || file.startsWith('store.lock-')) return;
        count += 1;
        if (count < step) return;
        failed = true;
        throw systemError('EIO');
      });
      const attempt = await directory.open({files, upgrades}).catch((error: unknown) => error);
      if (failed) expectKind(attempt, 'unavailable');
      const store = attempt instanceof JsonFileStore ? attempt : await directory.open({upgrades});
      expect(await listAll(store, 'acme'), `after step ${step}`).to.deep.equal(expected);
      await store.close();
      expect(await backup()).to.deep.equal(before);
      await fs.rm(directory.path, {recursive: true});
      await fs.mkdir(directory.path, {mode: 0o700});
      for (const [name, text] of Object.entries(before)) {
        await fs.writeFile(directory.file(name), text, {mode: 0o600});
      }
    }
  });
});
