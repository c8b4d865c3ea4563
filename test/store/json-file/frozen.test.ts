import {appendFileSync, chmodSync, cpSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {encodeLines} from '../../../src/store/json-file/lines.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import {formatVersion} from '../../../src/store/json-file/read.js';
import {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {answersOf, fillStore, frozen, readAnswers} from '../../support/store/frozen.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {expectKind, rejection} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** The paths of all values in the lines of a store, with their types. */
function shapesOf(directory: string): string[] {
  const shapes = new Set<string>();
  const note = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) shapes.add(`${path}: ${typeof value}`);
    else
      for (const [name, inner] of Object.entries(value))
        note(inner, Array.isArray(value) ? path : `${path}.${name}`);
  };
  const text = readFileSync(join(directory, 'store.jsonl'), 'utf8');
  for (const line of text.trimEnd().split('\n')) note(JSON.parse(line), '');
  return [...shapes].sort();
}

describe('a JSON file store of the kept version', () => {
  const at = temporaryDirectory();
  const sample = frozen(`json-file-${formatVersion}`);
  const opening = (directory: string) => (now: () => number) =>
    openJsonFileStore(directory, {log: new RecordedLog(), now});

  it('answers as when it was made, over all routes', async () => {
    cpSync(sample, at('store'), {recursive: true});
    chmodSync(at('store'), 0o700);
    const {secrets, answers} = readAnswers();
    expect(await answersOf(opening(at('store')), secrets)).to.deep.equal(answers);
  });

  it('has exactly the records and fields that this build writes: others need a new version and its sample', async () => {
    await fillStore(opening(at('new')), async (store) => {
      if (store instanceof JsonFileStore) await store.compact();
    });
    expect(shapesOf(at('new'))).to.deep.equal(shapesOf(sample));
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
