import fs from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'chai';
import {formatVersion} from '../../../src/store/json-file/format/upgrades.js';
import {openStore} from '../../../src/store/open.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';

const permissions = async (file: string): Promise<string> =>
  ((await fs.stat(file)).mode & 0o777).toString(8);

describe('opening a JSON file store', () => {
  const directory = useStoreDirectory();

  it('is what openStore does with a path', async () => {
    const options = {log: new RecordedLog(), now: () => directory.now};
    const store = await openStore(directory.path, options);
    await store.close();
    expect(await fs.readdir(directory.path)).to.include('store.json');
  });

  it('creates the directory and its missing parents, accessible to the owner only', async () => {
    const store = await directory.open();
    await activate(store);
    await store.close();
    expect(await permissions(directory.path)).to.equal('700');
    for (const name of await fs.readdir(directory.path)) {
      expect(await permissions(directory.file(name)), name).to.equal('600');
    }
  });

  it('creates nothing with create: false', async () => {
    const open = (location: string) =>
      openStore(location, {log: console, now: () => directory.now, create: false});
    const error = expectKind(await rejection(open(directory.path)), 'missing');
    expect(error.message).to.equal(`There is no store at ${directory.path}.`);
    expect(await fs.readdir(path.dirname(directory.path))).to.deep.equal([]);

    await fs.mkdir(directory.path);
    await fs.writeFile(directory.file('thesis.txt'), 'mine');
    for (const location of [
      directory.path,
      directory.file('thesis.txt'),
      directory.file('thesis.txt/x'),
    ]) {
      expectKind(await rejection(open(location)), 'missing');
    }
    expect(await fs.readdir(directory.path)).to.deep.equal(['thesis.txt']);

    await fs.rm(directory.file('thesis.txt'));
    await directory.fill();
    const store = await open(directory.path);
    expect(await listAll(store, 'acme')).to.have.length(2);
    await store.close();
    await fs.rm(directory.file('store.json'));
    expectKind(await rejection(open(directory.path)), 'damaged');
  });

  it('removes the access of other users to a store, and logs it', async () => {
    const store = await directory.open();
    await store.close();
    await fs.chmod(directory.path, 0o755);
    await fs.chmod(directory.file('store.json'), 0o644);
    const again = await directory.open();
    await again.close();
    expect(await permissions(directory.path)).to.equal('700');
    expect(await permissions(directory.file('store.json'))).to.equal('600');
    const logged = directory.log.map(({level, details}) => [level, details['path']]);
    expect(logged).to.deep.equal([
      ['warn', directory.path],
      ['warn', directory.file('store.json')],
    ]);
  });

  it('refuses a path that is a file', async () => {
    await fs.writeFile(directory.path, 'mine');
    const error = expectKind(await rejection(directory.open()), 'format');
    expect(error.message).to.equal(
      `${directory.path} is a file; a JSON file store is a directory.`,
    );
    expect(await fs.readFile(directory.path, 'utf8')).to.equal('mine');
  });

  it('refuses a path below a file', async () => {
    await fs.writeFile(directory.path, 'mine');
    const options = {log: console, now: () => directory.now};
    expectKind(await rejection(openStore(path.join(directory.path, 'store'), options)), 'format');
  });

  it('follows a symbolic link to a directory, and refuses a dangling one', async () => {
    const target = `${directory.path}-target`;
    await fs.symlink(target, directory.path);
    const error = expectKind(await rejection(directory.open()), 'unavailable');
    expect(error.message).to.equal(
      `${directory.path} is a symbolic link to a directory that does not exist.`,
    );
    await fs.mkdir(target);
    const store = await directory.open();
    await store.close();
    expect(await fs.readdir(target)).to.include('store.json');
  });

  it('refuses a directory with other files, and does not touch them', async () => {
    await fs.mkdir(directory.path);
    await fs.writeFile(directory.file('thesis.txt'), 'mine');
    const error = expectKind(await rejection(directory.open()), 'format');
    expect(error.message).to.include(directory.file('thesis.txt'));
    expect(await fs.readdir(directory.path)).to.deep.equal(['thesis.txt']);
  });

  for (const [code, kind] of [
    ['EACCES', 'forbidden'],
    ['EPERM', 'forbidden'],
    ['EROFS', 'unavailable'],
    ['EIO', 'unavailable'],
  ] as const) {
    it(`refuses a directory that cannot be written to (${code})`, async () => {
      const readOnly = watchedFiles(({name, args}) => {
        if (name === 'mkdir' || (name === 'open' && args[1] !== 'r')) throw systemError(code);
      });
      expectKind(await rejection(directory.open({files: readOnly})), kind);
      await directory.fill();
      const before = await directory.contents();
      const error = expectKind(await rejection(directory.open({files: readOnly})), kind);
      expect(error.message).to.include(directory.path);
      expect(error.message).to.include(code);
      expect(await directory.contents()).to.deep.equal(before);
    });
  }

  it('completes a store that a crash left unfinished', async () => {
    await fs.mkdir(directory.path);
    await fs.writeFile(directory.file('journal-000001.jsonl'), '');
    await fs.writeFile(directory.file('store.json.tmp'), '{"crc":');
    const store = await directory.open();
    await activate(store);
    await store.close();
    expect((await fs.readdir(directory.path)).sort()).to.deep.equal([
      'journal-000001.jsonl',
      'store.json',
    ]);
  });

  it('removes the leftovers of a crash, and no unknown file', async () => {
    await directory.fill();
    const before = await directory.contents();
    const leftovers = ['snapshot-000009.jsonl.tmp', 'journal-000001.jsonl', 'store.json.tmp'];
    for (const name of leftovers) await fs.writeFile(directory.file(name), 'left');
    await fs.writeFile(directory.file('README.txt'), 'mine');
    const store = await directory.open();
    await store.close();
    expect(await directory.contents()).to.deep.equal(before);
    expect(await fs.readFile(directory.file('README.txt'), 'utf8')).to.equal('mine');
  });

  it('removes only files whose names the store itself makes', async () => {
    await directory.fill();
    const foreign = [
      'lock-notes.txt',
      'lock-000001.bak',
      'lock-000001-1-abc',
      'lock-0000001',
      'store.lock-1-abc',
      'store-plan.tmp',
      'store.json.old.tmp',
      'journal-1.jsonl.tmp',
      'journal-0000001.jsonl',
      'snapshot-1.jsonl.tmp',
    ];
    for (const name of foreign) await fs.writeFile(directory.file(name), 'mine');
    await fs.mkdir(directory.file('backup-of-thesis.tmp'));
    await fs.writeFile(directory.file('backup-of-thesis.tmp/chapter'), 'mine');
    await directory.compact();
    for (const name of [...foreign, 'backup-of-thesis.tmp/chapter']) {
      expect(await fs.readFile(directory.file(name), 'utf8'), name).to.equal('mine');
    }
  });

  for (const name of ['lock-notes.txt', 'store-plan.tmp', 'snapshot-000001.jsonl.tmp']) {
    it(`refuses a directory with ${name}, and does not remove the file`, async () => {
      await fs.mkdir(directory.path);
      await fs.writeFile(directory.file(name), 'mine');
      expectKind(await rejection(directory.open()), 'format');
      expect(await fs.readdir(directory.path)).to.deep.equal([name]);
    });
  }

  it('reports a missing store.json beside records, whatever else a crash left', async () => {
    await directory.fill();
    await fs.rm(directory.file('store.json'));
    await fs.writeFile(directory.file('control.sock'), '');
    const before = await directory.contents();
    const {message} = expectKind(await rejection(directory.open()), 'damaged');
    expect(message).to.include(`${directory.file('store.json')} is missing`);
    expect(message).to.include('holds records of a store');
    expect(message).to.include('Copy store.json from any backup of this store');
    expect(await directory.contents()).to.deep.equal(before);
  });

  describe('a store of a newer format', () => {
    it('is refused before anything is written', async () => {
      await directory.fill();
      const newer = `{"format":"connectorctl json store","version":${formatVersion + 1},"unheard":["of"]}\n`;
      await fs.writeFile(directory.file('store.json'), newer);
      const before = await directory.contents();
      const names = await fs.readdir(directory.path);
      const error = expectKind(await rejection(directory.open()), 'format');
      expect(error.message).to.include(directory.file('store.json'));
      expect(error.message).to.include(`version ${formatVersion + 1} is newer`);
      expect(await directory.contents()).to.deep.equal(before);
      expect(await fs.readdir(directory.path)).to.deep.equal(names);
    });
  });
});
