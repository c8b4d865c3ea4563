import {appendFileSync, chmodSync, cpSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {encodeLine} from '../../../src/store/json-file/format/lines.js';
import {formatVersion} from '../../../src/store/json-file/format/upgrades.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {
  answersOf,
  fillStore,
  frozen,
  readSample,
  withoutAdded,
} from '../../support/store/frozen.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {expectKind, rejection} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** The names and types of the fields of an object, also in nested ones. */
function fieldsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? fieldsOf(field, `${prefix}${name}.`)
      : [`${prefix}${name}: ${Array.isArray(field) ? 'array' : typeof field}`],
  );
}

/** The fields of each kind of line and record in a store's files, over all that it holds. */
function shapesOf(directory: string): Record<string, string[]> {
  const shapes = new Map<string, Set<string>>();
  const note = (kind: string, value: object) => {
    const known = shapes.get(kind) ?? new Set();
    for (const field of fieldsOf(value)) known.add(field);
    shapes.set(kind, known);
  };
  for (const name of readdirSync(directory).filter((file) => file.includes('.json'))) {
    for (const line of readFileSync(join(directory, name), 'utf8').split('\n')) {
      if (line === '') continue;
      const {records, ...rest} = JSON.parse(line);
      note(rest.type ?? (records ? 'records' : 'store'), rest);
      for (const record of records ?? []) note(record.type, record);
    }
  }
  return Object.fromEntries([...shapes].sort().map(([kind, fields]) => [kind, [...fields].sort()]));
}

describe('a JSON file store of a kept version', () => {
  const at = temporaryDirectory();
  const opening = (directory: string) => (now: () => number) =>
    openJsonFileStore(directory, {log: new RecordedLog(), now});

  for (let version = 1; version <= formatVersion; version += 1) {
    it(`answers as when it was made, over all routes, in version ${version}`, async () => {
      cpSync(frozen(`json-file-${version}`), at('store'), {recursive: true});
      chmodSync(at('store'), 0o700);
      for (const name of readdirSync(at('store'))) chmodSync(at('store', name), 0o600);
      const {secrets, answers} = readSample(`json-file-${version}`);
      const now = await answersOf(opening(at('store')), secrets);
      expect(withoutAdded(now, answers)).to.deep.equal(answers);
    });
  }

  it('has exactly the records and fields that this build writes: others need a new version and its sample', async () => {
    await fillStore(opening(at('new')), async (store) => {
      if (store instanceof JsonFileStore) await store.compact();
    });
    expect(shapesOf(at('new'))).to.deep.equal(shapesOf(frozen(`json-file-${formatVersion}`)));
  });
});

describe('a JSON file store of a development build with other records', () => {
  const directory = useStoreDirectory();

  for (const [what, file, record] of [
    ['a record', 'journal-000002.jsonl', '"records":[{"type":"clock","seen":[]}]'],
    ['a line', 'journal-000002.jsonl', '"entries":[]'],
  ] as const) {
    it(`is refused, unmodified, when it holds ${what} that this build does not know`, async () => {
      await directory.fill();
      const lines = readFileSync(directory.file(file), 'latin1').trim().split('\n');
      const last = Number.parseInt(/"crc":"(\w+)"/.exec(lines.at(-1) ?? '')?.[1] ?? '', 16);
      appendFileSync(directory.file(file), encodeLine(record, last).bytes);
      const before = await directory.contents();
      const {message} = expectKind(await rejection(directory.open()), 'format');
      expect(message).to.include(`${file}, line ${lines.length + 1}: this build does not know`);
      expect(message)
        .to.include('another build of connectorctl wrote it')
        .and.not.include('backup');
      expect(await directory.contents()).to.deep.equal(before);
    });
  }
});
