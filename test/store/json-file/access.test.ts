import fs from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'chai';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {skip, watchedFiles} from '../../support/json-file/watched-files.js';
import {activate, expectKind, rejection} from '../../support/store/samples.js';

describe('access to a JSON file store by other users', () => {
  const directory = useStoreDirectory();

  /** The names of the files in the directory. */
  const listing = async (): Promise<readonly string[]> => (await fs.readdir(directory.path)).sort();

  /** File calls that report one file, or the directory, as owned by another user. */
  const filesOwnedByAnother = (name: string) => {
    const disown = (stats: Awaited<ReturnType<typeof fs.stat>>, target: string) =>
      path.basename(target) === name ? Object.assign(stats, {uid: Number(stats.uid) + 1}) : stats;
    const own = watchedFiles(() => {});
    return Object.assign(Object.create(own), {
      lstat: async (target: string) => disown(await fs.lstat(target), target),
      stat: async (target: string) => disown(await fs.stat(target), target),
    });
  };

  it('refuses a store whose directory belongs to another user', async () => {
    await directory.fill();
    const before = await directory.contents();
    const files = filesOwnedByAnother('store');
    const {message} = expectKind(await rejection(directory.open({files})), 'forbidden');
    expect(message).to.match(/belongs to user id \d+, but this process runs as user id \d+/);
    // Not chown, which would take the store from its service.
    expect(message).to.match(/ Run the command as that user: sudo -u '#\d+'$/);
    expect(await directory.contents()).to.deep.equal(before);
  });

  for (const mode of [0o770, 0o702]) {
    it(`refuses a store whose directory has mode ${mode.toString(8)}, and changes nothing`, async () => {
      await directory.fill();
      const before = await listing();
      await fs.chmod(directory.path, mode);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const {message} = expectKind(await rejection(directory.open()), 'exposed');
        expect(message).to.include(`(mode 0${mode.toString(8)})`);
        expect(message).to.include(`chmod go-w '${directory.path}'`);
      }
      expect(await listing()).to.deep.equal(before);
      await fs.chmod(directory.path, 0o700);
      await (await directory.open()).close();
    });
  }

  for (const [what, interfere] of [
    ['another user writes to it before it is private', (file: string) => fs.writeFile(file, '')],
    ['its mode cannot be changed', () => skip],
  ] as const) {
    it(`refuses an empty directory that other users can write if ${what}`, async () => {
      await fs.mkdir(directory.path);
      await fs.chmod(directory.path, 0o777);
      const files = watchedFiles(({name}) =>
        name === 'chmod' ? interfere(directory.file('planted')) : undefined,
      );
      expectKind(await rejection(directory.open({files})), 'exposed');
      expect(directory.log).to.deep.equal([]);
    });
  }

  it('makes an empty directory that other users can write private, and logs it', async () => {
    await fs.mkdir(directory.path);
    await fs.chmod(directory.path, 0o777);
    const store = await directory.open();
    await activate(store);
    await store.close();
    expect((await fs.stat(directory.path)).mode & 0o777).to.equal(0o700);
    expect(directory.log.map(({level, fields}) => [level, fields['path']])).to.deep.equal([
      ['warn', directory.path],
    ]);
  });

  it('never writes the server secret through a symlink', async () => {
    await fs.mkdir(directory.path, {mode: 0o700});
    const victim = `${directory.path}-victim`;
    await fs.writeFile(victim, 'mine');
    await fs.symlink(victim, directory.file('store.jsonl.tmp'));
    const store = await directory.open();
    await store.close();
    expect(await fs.readFile(victim, 'utf8')).to.equal('mine');
    expect((await fs.lstat(directory.file('store.jsonl'))).isFile()).to.equal(true);
  });
});
