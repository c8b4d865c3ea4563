import {appendFileSync, chmodSync, cpSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {encodeLines} from '../../../src/store/json-file/lines.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import {formatVersion} from '../../../src/store/json-file/read.js';
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

/** The fields of the first line, and of each kind of record, over all that a store holds. */
function shapesOf(directory: string): Record<string, string[]> {
  const shapes = new Map<string, Set<string>>();
  const note = (kind: string, value: object) => {
    const known = shapes.get(kind) ?? new Set();
    for (const field of fieldsOf(value)) known.add(field);
    shapes.set(kind, known);
  };
  for (const line of readFileSync(join(directory, 'store.jsonl'), 'utf8').trimEnd().split('\n')) {
    const value: Record<string, unknown> = JSON.parse(line);
    if ('format' in value) note('format', value);
    else
      for (const [kind, records] of Object.entries(value)) {
        for (const record of Array.isArray(records) ? records : []) {
          note(kind, typeof record === 'object' ? record : {record});
        }
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

  it('is refused, unmodified, when a line holds what this build does not know', async () => {
    await directory.fill();
    const file = directory.file('store.jsonl');
    const lines = readFileSync(file, 'latin1').trim().split('\n');
    const last = Number.parseInt(/"crc":"(\w+)"/.exec(lines.at(-1) ?? '')?.[1] ?? '', 16);
    appendFileSync(file, encodeLines(['"clock":[{"seen":[]}]'], last).bytes);
    const before = await directory.contents();
    const {message} = expectKind(await rejection(directory.open()), 'format');
    expect(message).to.include(`${file}, line ${lines.length + 1}: this build does not know`);
    expect(message).to.include('another build of connectorctl wrote it').and.not.include('backup');
    expect(await directory.contents()).to.deep.equal(before);
  });
});
