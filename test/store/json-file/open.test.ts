import fs from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'chai';
import {nodeFiles} from '../../../src/store/json-file/files.js';
import {readDescription} from '../../../src/store/json-file/folder.js';
import {newline} from '../../../src/store/json-file/lines.js';
import {load} from '../../../src/store/json-file/load.js';
import {openStore} from '../../../src/store/open.js';
import {activate, expectKind, listAll, minute, rejection, start} from '../samples.js';
import {StoreFolder} from './fixture.js';
import {systemError, unsyncedFiles, watchedFiles} from './watched-files.js';

const permissions = async (file: string): Promise<string> =>
  ((await fs.stat(file)).mode & 0o777).toString(8);

/** A copy with the lowest bit of one byte changed. */
function flipped(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}

describe('opening a JSON file store', () => {
  let folder: StoreFolder;

  beforeEach(async () => {
    folder = await StoreFolder.make();
  });

  afterEach(async () => {
    await folder.cleanup();
  });

  /** A closed store with a snapshot and a journal of a few lines. */
  const makeStore = async (): Promise<void> => {
    folder.now = start + minute;
    const store = await folder.open();
    await activate(store);
    await store.close();
    await folder.compact();
    const again = await folder.open();
    await activate(again);
    await again.close();
  };

  it('goes by the location: a path is a folder of files', async () => {
    const log = {debug() {}, info() {}, warn() {}, error() {}};
    const options = {log, now: () => folder.now};
    const store = await openStore(folder.path, options);
    await store.close();
    expect(await fs.readdir(folder.path)).to.include('store.json');
  });

  it('makes the folder, for its owner alone, and every folder on the way', async () => {
    const store = await folder.open();
    await activate(store);
    await store.close();
    expect(await permissions(folder.path)).to.equal('700');
    for (const name of await fs.readdir(folder.path)) {
      expect(await permissions(folder.file(name)), name).to.equal('600');
    }
  });

  it('makes nothing when told not to', async () => {
    const open = (location: string) =>
      openStore(location, {log: console, now: () => folder.now, create: false});
    const error = expectKind(await rejection(open(folder.path)), 'missing');
    expect(error.message).to.equal(`There is no store at ${folder.path}.`);
    expect(await fs.readdir(path.dirname(folder.path))).to.deep.equal([]);

    await fs.mkdir(folder.path);
    await fs.writeFile(folder.file('thesis.txt'), 'mine');
    for (const location of [folder.path, folder.file('thesis.txt'), folder.file('thesis.txt/x')]) {
      expectKind(await rejection(open(location)), 'missing');
    }
    expect(await fs.readdir(folder.path)).to.deep.equal(['thesis.txt']);

    await fs.rm(folder.file('thesis.txt'));
    await makeStore();
    const store = await open(folder.path);
    expect(await listAll(store, 'acme')).to.have.length(2);
    await store.close();
    await fs.rm(folder.file('store.json'));
    expectKind(await rejection(open(folder.path)), 'damaged');
  });

  it('closes a store that is open to other users, and says so', async () => {
    const store = await folder.open();
    await store.close();
    await fs.chmod(folder.path, 0o755);
    await fs.chmod(folder.file('store.json'), 0o644);
    const again = await folder.open();
    await again.close();
    expect(await permissions(folder.path)).to.equal('700');
    expect(await permissions(folder.file('store.json'))).to.equal('600');
    const told = folder.log.map(({level, details}) => [level, details['path']]);
    expect(told).to.deep.equal([
      ['warn', folder.path],
      ['warn', folder.file('store.json')],
    ]);
  });

  it('refuses a path that is a file', async () => {
    await fs.writeFile(folder.path, 'mine');
    const error = expectKind(await rejection(folder.open()), 'format');
    expect(error.message).to.equal(`${folder.path} is a file; a JSON file store is a folder.`);
    expect(await fs.readFile(folder.path, 'utf8')).to.equal('mine');
  });

  it('refuses a path below a file', async () => {
    await fs.writeFile(folder.path, 'mine');
    const options = {log: console, now: () => folder.now};
    expectKind(await rejection(openStore(path.join(folder.path, 'store'), options)), 'format');
  });

  it('refuses a folder with other files, and leaves it alone', async () => {
    await fs.mkdir(folder.path);
    await fs.writeFile(folder.file('thesis.txt'), 'mine');
    const error = expectKind(await rejection(folder.open()), 'format');
    expect(error.message).to.include(folder.file('thesis.txt'));
    expect(await fs.readdir(folder.path)).to.deep.equal(['thesis.txt']);
  });

  for (const [code, kind] of [
    ['EACCES', 'forbidden'],
    ['EPERM', 'forbidden'],
    ['EROFS', 'forbidden'],
    ['EIO', 'unavailable'],
  ] as const) {
    it(`refuses a folder that cannot be written to (${code})`, async () => {
      const readOnly = watchedFiles(({name, args}) => {
        if (name === 'mkdir' || (name === 'open' && args[1] !== 'r')) throw systemError(code);
      });
      expectKind(await rejection(folder.open({files: readOnly})), kind);
      await makeStore();
      const before = await folder.contents();
      const error = expectKind(await rejection(folder.open({files: readOnly})), kind);
      expect(error.message).to.include(folder.path);
      expect(error.message).to.include(code);
      expect(await folder.contents()).to.deep.equal(before);
    });
  }

  it('goes on making a store that a crash left half made', async () => {
    await fs.mkdir(folder.path);
    await fs.writeFile(folder.file('journal-000001.jsonl'), '');
    await fs.writeFile(folder.file('store.json.tmp'), '{"crc":');
    const store = await folder.open();
    await activate(store);
    await store.close();
    expect((await fs.readdir(folder.path)).sort()).to.deep.equal([
      'journal-000001.jsonl',
      'lock-000001-released',
      'store.json',
    ]);
  });

  it('removes what a crash left, and nothing that it does not know', async () => {
    await makeStore();
    const before = await folder.contents();
    const leftovers = ['snapshot-000009.jsonl.tmp', 'journal-000001.jsonl', 'store.json.tmp'];
    for (const name of leftovers) await fs.writeFile(folder.file(name), 'left');
    await fs.writeFile(folder.file('README.txt'), 'mine');
    const store = await folder.open();
    await store.close();
    expect(await folder.contents()).to.deep.equal(before);
    expect(await fs.readFile(folder.file('README.txt'), 'utf8')).to.equal('mine');
  });

  describe('a store of a newer format', () => {
    it('is refused without a trace', async () => {
      await makeStore();
      const newer = '{"format":"connectorctl json store","version":2,"unheard":["of"]}\n';
      await fs.writeFile(folder.file('store.json'), newer);
      const before = await folder.contents();
      const names = await fs.readdir(folder.path);
      const error = expectKind(await rejection(folder.open()), 'format');
      expect(error.message).to.include(folder.file('store.json'));
      expect(error.message).to.include('version 2 is newer');
      expect(await folder.contents()).to.deep.equal(before);
      expect(await fs.readdir(folder.path)).to.deep.equal(names);
    });
  });

  describe('a damaged store', () => {
    const refuse = async (file: string, line?: number): Promise<void> => {
      const before = await folder.contents();
      const error = expectKind(await rejection(folder.open({files: unsyncedFiles})), 'damaged');
      const place = line === undefined ? folder.file(file) : `${folder.file(file)}, line ${line}:`;
      expect(error.message).to.include(place);
      expect(await folder.contents()).to.deep.equal(before);
    };

    it('is refused for one changed bit, with file and line, and is not touched', async () => {
      await makeStore();
      for (const [name, text] of Object.entries(await folder.contents())) {
        const bytes = Buffer.from(text, 'latin1');
        const lines = text.split('\n').slice(0, -1);
        let middle = 0;
        for (const [index, line] of lines.entries()) {
          const offset = middle + Math.floor(line.length / 2);
          await fs.writeFile(folder.file(name), flipped(bytes, offset));
          await refuse(name, index + 1);
          middle += line.length + 1;
        }
        await fs.writeFile(folder.file(name), bytes);
      }
      const store = await folder.open();
      expect(await listAll(store, 'acme')).to.have.length(2);
      await store.close();
    });

    it('is told from an intact one by any bit', async () => {
      await makeStore();
      const context = {files: nodeFiles, folder: folder.path, upgrades: new Map()};
      const contents = Object.entries(await folder.contents());
      expect(contents.map(([name]) => name)).to.deep.equal([
        'journal-000002.jsonl',
        'snapshot-000002.jsonl',
        'store.json',
      ]);
      for (const [name, text] of contents) {
        const bytes = Buffer.from(text, 'latin1');
        let line = 1;
        for (const [offset, byte] of bytes.entries()) {
          await fs.writeFile(folder.file(name), flipped(bytes, offset));
          const read = name === 'store.json' ? readDescription(context) : load(context);
          const {message} = expectKind(await rejection(read), 'damaged');
          expect(message).to.include(`${folder.file(name)}, line ${line}:`);
          if (byte === newline) line += 1;
        }
        await fs.writeFile(folder.file(name), bytes);
      }
      await load(context);
    });

    it('is refused when a line was taken out, doubled or moved', async () => {
      await makeStore();
      const name = 'journal-000002.jsonl';
      const text = await fs.readFile(folder.file(name), 'utf8');
      const lines = text.split('\n').slice(0, -1);
      const [first, second, third, ...rest] = lines;
      for (const [changed, line] of [
        [[second, third, ...rest], 1],
        [[first, third, ...rest], 2],
        [[first, second, second, third, ...rest], 3],
        [[first, third, second, ...rest], 2],
      ] as const) {
        await fs.writeFile(folder.file(name), `${changed.join('\n')}\n`);
        await refuse(name, line);
      }
    });

    it('is refused when a snapshot was cut short', async () => {
      await makeStore();
      const name = 'snapshot-000002.jsonl';
      const bytes = await fs.readFile(folder.file(name));
      const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
      for (const length of [0, 10, lastLine, lastLine + 3, bytes.length - 1]) {
        await fs.writeFile(folder.file(name), bytes.subarray(0, length));
        await refuse(name);
      }
    });

    it('is refused when a file is missing', async () => {
      await makeStore();
      for (const name of ['store.json', 'journal-000002.jsonl']) {
        const bytes = await fs.readFile(folder.file(name));
        await fs.unlink(folder.file(name));
        await refuse(name);
        await fs.writeFile(folder.file(name), bytes);
      }
      // Without its snapshot the journal begins in the middle.
      await fs.unlink(folder.file('snapshot-000002.jsonl'));
      await refuse('journal-000001.jsonl');
    });

    it('is refused when a segment in the middle is missing or cut short', async () => {
      const failing = watchedFiles(({name, file}) => {
        if (name === 'open' && file.startsWith('snapshot')) throw systemError('ENOSPC');
      });
      const store = await folder.open();
      await activate(store);
      await store.close();
      // Each compaction goes on in a new segment, even when its snapshot fails.
      for (let count = 0; count < 2; count += 1) {
        expect(await rejection(folder.compact({files: failing}))).to.be.instanceOf(Error);
        const again = await folder.open();
        await activate(again);
        await again.close();
      }
      expect(Object.keys(await folder.contents())).to.include('journal-000003.jsonl');
      const middle = 'journal-000002.jsonl';
      const bytes = await fs.readFile(folder.file(middle));
      await fs.writeFile(folder.file(middle), bytes.subarray(0, -1));
      await refuse(middle);
      await fs.writeFile(folder.file(middle), '');
      await refuse('journal-000003.jsonl', 1);
      await fs.unlink(folder.file(middle));
      await refuse(middle);
      await fs.writeFile(folder.file(middle), bytes);
      const last = await folder.open();
      expect(await listAll(last, 'acme')).to.have.length(3);
      await last.close();
    });
  });
});
