import fs from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'chai';
import {openStore} from '../../../src/store/open.js';
import {StoreFolder} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';

const permissions = async (file: string): Promise<string> =>
  ((await fs.stat(file)).mode & 0o777).toString(8);

describe('opening a JSON file store', () => {
  let folder: StoreFolder;

  beforeEach(async () => {
    folder = await StoreFolder.make();
  });

  afterEach(async () => {
    await folder.cleanup();
  });

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
    await folder.fill();
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

  it('follows a link to a folder, and refuses one that leads nowhere', async () => {
    const target = `${folder.path}-target`;
    await fs.symlink(target, folder.path);
    const error = expectKind(await rejection(folder.open()), 'unavailable');
    expect(error.message).to.equal(`${folder.path} is a link to a folder that is not there.`);
    await fs.mkdir(target);
    const store = await folder.open();
    await store.close();
    expect(await fs.readdir(target)).to.include('store.json');
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
      await folder.fill();
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
    await folder.fill();
    const before = await folder.contents();
    const leftovers = ['snapshot-000009.jsonl.tmp', 'journal-000001.jsonl', 'store.json.tmp'];
    for (const name of leftovers) await fs.writeFile(folder.file(name), 'left');
    await fs.writeFile(folder.file('README.txt'), 'mine');
    const store = await folder.open();
    await store.close();
    expect(await folder.contents()).to.deep.equal(before);
    expect(await fs.readFile(folder.file('README.txt'), 'utf8')).to.equal('mine');
  });

  it('removes only files whose names the store itself makes', async () => {
    await folder.fill();
    const foreign = [
      'lock-notes.txt',
      'lock-000001.bak',
      'lock-000001-1-abc',
      'lock-0000001',
      'store-plan.tmp',
      'store.json.old.tmp',
      'journal-000001.jsonl.tmp',
      'journal-0000001.jsonl',
      'snapshot-1.jsonl.tmp',
    ];
    for (const name of foreign) await fs.writeFile(folder.file(name), 'mine');
    await fs.mkdir(folder.file('backup-of-thesis.tmp'));
    await fs.writeFile(folder.file('backup-of-thesis.tmp/chapter'), 'mine');
    await folder.compact();
    for (const name of [...foreign, 'backup-of-thesis.tmp/chapter']) {
      expect(await fs.readFile(folder.file(name), 'utf8'), name).to.equal('mine');
    }
  });

  for (const name of ['lock-notes.txt', 'store-plan.tmp', 'snapshot-000001.jsonl.tmp']) {
    it(`makes no store beside ${name}, and does not remove it`, async () => {
      await fs.mkdir(folder.path);
      await fs.writeFile(folder.file(name), 'mine');
      expectKind(await rejection(folder.open()), 'format');
      expect(await fs.readdir(folder.path)).to.deep.equal([name]);
    });
  }

  it('says that store.json is missing beside records, whatever else a crash left', async () => {
    await folder.fill();
    await fs.rm(folder.file('store.json'));
    await fs.writeFile(folder.file('control.sock'), '');
    const before = await folder.contents();
    const {message} = expectKind(await rejection(folder.open()), 'damaged');
    expect(message).to.include(`${folder.file('store.json')} is missing`);
    expect(message).to.include('holds records of a store');
    expect(message).to.include('Copy store.json from any backup of this store');
    expect(await folder.contents()).to.deep.equal(before);
  });

  describe('a store of a newer format', () => {
    it('is refused without a trace', async () => {
      await folder.fill();
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
});
