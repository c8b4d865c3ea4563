import fs from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'chai';
import {encodeLines} from '../../../src/store/json-file/lines.js';
import {formatVersion} from '../../../src/store/json-file/read.js';
import {openStore} from '../../../src/store/open.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';

const permissions = async (file: string): Promise<string> =>
  ((await fs.stat(file)).mode & 0o777).toString(8);

describe('opening a JSON file store', () => {
  const directory = useStoreDirectory();

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
  });

  it('removes the access of other users to a store, and logs it', async () => {
    const store = await directory.open();
    await store.close();
    await fs.chmod(directory.path, 0o755);
    const again = await directory.open();
    await again.close();
    expect(await permissions(directory.path)).to.equal('700');
    const logged = directory.log.map(({level, fields}) => [level, fields['path']]);
    expect(logged).to.deep.equal([['warn', directory.path]]);
  });

  it('refuses a path that is a file', async () => {
    await fs.writeFile(directory.path, 'mine');
    const error = expectKind(await rejection(directory.open()), 'format');
    expect(error.message).to.include(
      `${directory.path} cannot be opened: ENOTDIR: not a directory`,
    );
    expect(await fs.readFile(directory.path, 'utf8')).to.equal('mine');
  });

  it('follows a symbolic link to a directory, and refuses a dangling one', async () => {
    const target = `${directory.path}-target`;
    await fs.symlink(target, directory.path);
    const error = expectKind(await rejection(directory.open()), 'unavailable');
    expect(error.message).to.include(`${directory.path} cannot be opened: ENOENT`);
    await fs.mkdir(target);
    const store = await directory.open();
    await store.close();
    expect(await fs.readdir(target)).to.include('store.jsonl');
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

  it('removes what a crash left of a compaction, and no other file', async () => {
    await directory.fill();
    const before = await directory.contents();
    await fs.writeFile(directory.file('store.jsonl.tmp'), 'left');
    const foreign = ['README.txt', 'store.lock-1-abc', 'store-plan.tmp', 'store.jsonl.old.tmp'];
    for (const name of foreign) await fs.writeFile(directory.file(name), 'mine');
    await (await directory.open()).close();
    expect((await fs.readdir(directory.path)).sort()).to.deep.equal(
      [...foreign, 'store.jsonl'].sort(),
    );
    expect((await directory.contents())['store.jsonl']).to.equal(before['store.jsonl']);
  });

  for (const name of [
    'thesis.txt',
    'lock-notes.txt',
    'store-plan.tmp',
    'store.json',
    'control.sock',
  ]) {
    it(`refuses a directory with ${name}, and does not touch the file`, async () => {
      await fs.mkdir(directory.path);
      await fs.writeFile(directory.file(name), 'mine');
      const {message} = expectKind(await rejection(directory.open()), 'format');
      expect(message).to.include(directory.file(name));
      expect(await fs.readdir(directory.path)).to.deep.equal([name]);
    });
  }

  for (const [what, version] of [
    ['newer', formatVersion + 1],
    ['earlier', formatVersion - 1],
  ] as const) {
    it(`refuses a store of ${what === 'newer' ? 'a' : 'an'} ${what} format before anything is written`, async () => {
      await directory.fill();
      const line = `"format":"connectorctl json store","version":${version},"unheard":["of"]`;
      const {bytes} = encodeLines([line], 0);
      for (const text of [bytes.toString(), `{${line}}\n`]) {
        await fs.writeFile(directory.file('store.jsonl'), text);
        const names = await fs.readdir(directory.path);
        const error = expectKind(await rejection(directory.open()), 'format');
        expect(error.message).to.include(directory.file('store.jsonl'));
        expect(error.message).to.include(`has format version ${version}, not this build's`);
        expect(await fs.readFile(directory.file('store.jsonl'), 'utf8')).to.equal(text);
        expect(await fs.readdir(directory.path)).to.deep.equal(names);
      }
    });
  }
});
