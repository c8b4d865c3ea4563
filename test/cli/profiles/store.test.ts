import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {checkProfileName, ProfileStore, withProfile} from '../../../src/cli/profiles/store.js';
import {ProcessLock} from '../../../src/system/process-lock.js';
import {failure} from '../../support/client.js';
import {skippingClock} from '../../support/skipping-clock.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const key = 'ck_secret';

describe('the profile store', () => {
  let directory: string;
  let store: ProfileStore;

  const at = temporaryDirectory();

  beforeEach(() => {
    directory = at('connectorctl');
    store = new ProfileStore({base: at(), path: directory});
  });

  const settingsText = () => readFileSync(store.path, 'utf8');
  const keyFiles = () =>
    existsSync(join(directory, 'keys')) ? readdirSync(join(directory, 'keys')) : [];
  const mode = (path: string) => statSync(path).mode & 0o777;
  const add = (name: string, url = 'http://a.example') =>
    store.change((saved) => withProfile(saved, name, {base_url: url}, saved.current));

  it('is empty without a settings file, or when its directory is a regular file', async () => {
    const empty = {version: 1, current: null, profiles: {}};
    expect(await store.read()).to.deep.equal(empty);
    writeFileSync(directory, 'not a directory');
    expect(await store.read()).to.deep.equal(empty);
  });

  it('creates files and directories that only their owner can access, with any umask', async () => {
    const before = process.umask(0);
    try {
      await store.saveWithKey('prod', {base_url: 'http://a.example'}, key);
    } finally {
      process.umask(before);
    }
    const file = join(directory, 'keys', keyFiles()[0]!);
    expect([directory, store.path, join(directory, 'keys'), file].map(mode)).to.deep.equal([
      0o700, 0o600, 0o700, 0o600,
    ]);
  });

  it('removes the access of other users when it rewrites a file', async () => {
    mkdirSync(directory);
    writeFileSync(store.path, '{"version": 1, "current": null, "profiles": {}}', {mode: 0o644});
    await add('prod');
    expect(mode(store.path)).to.equal(0o600);
  });

  it('writes the API key to a separate file and nowhere else', async () => {
    const saved = await store.saveWithKey('prod', {base_url: 'http://a.example'}, key);
    expect(readFileSync(saved.api_key_file!, 'utf8')).to.equal(`${key}\n`);
    expect(settingsText()).not.to.include(key);
    expect(await store.read()).to.deep.equal({
      version: 1,
      current: 'prod',
      profiles: {prod: saved},
    });
  });

  it('writes a new API key to a new file and removes the old file', async () => {
    const first = await store.saveWithKey('prod', {base_url: 'http://a.example'}, key);
    const second = await store.saveWithKey('prod', {base_url: 'http://b.example'}, 'other');
    expect(second.api_key_file).not.to.equal(first.api_key_file);
    expect(keyFiles().map((name) => join(directory, 'keys', name))).to.deep.equal([
      second.api_key_file,
    ]);
  });

  it('removes only key files that it created', async () => {
    const own = at('own.key');
    writeFileSync(own, key);
    await store.saveWithKey('prod', {base_url: 'http://a.example'}, key);
    await store.saveWithKey('test', {base_url: 'http://b.example'}, key);
    await store.change((saved) =>
      withProfile(saved, 'own', {base_url: 'http://c.example', api_key_file: own}, null),
    );
    await store.change((saved) => ({...saved, profiles: {test: saved.profiles['test']!}}));
    expect(keyFiles()).to.have.length(1);
    expect(keyFiles()[0]).to.match(/^test-/);
    expect(readFileSync(own, 'utf8')).to.equal(key);
  });

  it('saves neither key nor settings when it cannot change the settings file', async () => {
    mkdirSync(directory);
    writeFileSync(store.path, '{"version": 2}');
    const error = await failure(() =>
      store.saveWithKey('prod', {base_url: 'http://a.example'}, key),
    );
    expect(error.message).to.include('newer connectorctl (version 2)');
    expect(keyFiles()).to.deep.equal([]);
    expect(settingsText()).to.equal('{"version": 2}');
  });

  it('keeps the new key when it cannot remove the one before', async () => {
    await store.saveWithKey('prod', {base_url: 'http://a.example'}, 'ck_old');
    const [old = ''] = keyFiles();
    rmSync(join(directory, 'keys', old));
    mkdirSync(join(directory, 'keys', old));
    const error = await failure(() =>
      store.saveWithKey('prod', {base_url: 'http://a.example'}, key),
    );
    expect(error.message).to.include('The old API key is still in');
    const {api_key_file: file = ''} = await store.get('prod');
    expect(readFileSync(file, 'utf8')).to.equal(`${key}\n`);
  });

  it('loses no profile when several writers change it at the same time', async () => {
    const names = Array.from({length: 20}, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => add(name)));
    expect(Object.keys((await store.read()).profiles).sort()).to.deep.equal(names.sort());
    expect(readdirSync(directory)).to.deep.equal(['settings.json']);
  });

  it('names the process that changes the settings when that takes too long, and saves nothing', async () => {
    await add('prod');
    const before = settingsText();
    const lock = await ProcessLock.acquire(store.path, {label: 'a test', wait: () => undefined});
    const impatient = new ProfileStore({base: at(), path: directory}, skippingClock().clock);
    const error = await failure(() =>
      impatient.saveWithKey('test', {base_url: 'http://b.example'}, key),
    );
    expect(error).to.include({kind: 'usage'});
    expect(error.message).to.include(`is being changed by process ${process.pid} on ${hostname()}`);
    expect(settingsText()).to.equal(before);
    expect(keyFiles()).to.deep.equal([]);
    await lock.release();
  });

  it('takes over from a process of another machine that is killed while it waits', async () => {
    mkdirSync(directory);
    const lock = `${store.path}.lock`;
    writeFileSync(lock, '');
    const {clock} = skippingClock(({length}) => {
      if (length === 2) utimesSync(lock, 1, 1);
    });
    const waiting = new ProfileStore({base: at(), path: directory}, clock);
    await waiting.change((saved) => ({...saved, current: 'prod'}));
    expect(readdirSync(directory)).to.deep.equal(['settings.json']);
  });

  it('writes through drafts that the next change removes, whatever a killed process left', async () => {
    const drafts = [`${store.path}.tmp`, join(directory, 'keys', 'key.tmp')];
    for (const draft of drafts) {
      mkdirSync(draft, {recursive: true});
      const error = await failure(() =>
        store.saveWithKey('a', {base_url: 'http://a.example'}, key),
      );
      expect(error.message).to.include(draft);
      rmSync(draft, {recursive: true});
    }
    for (const draft of drafts) writeFileSync(draft, key);
    await add('prod');
    expect(readdirSync(directory).sort()).to.deep.equal(['keys', 'settings.json']);
    expect(keyFiles()).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['broken', '{"version": 1, "current"'],
    ['not a settings object', '[]'],
    ['empty', ''],
    ['of an unknown older version', '{"version": 0, "current": null, "profiles": {}}'],
    ['without a base URL', '{"version": 1, "current": null, "profiles": {"a": {}}}'],
    ['of a newer version', '{"version": 2, "current": null, "profiles": {}}'],
  ] as const) {
    it(`rejects a file that is ${what}, and does not change it`, async () => {
      mkdirSync(directory);
      writeFileSync(store.path, text);
      for (const action of [() => store.read(), () => add('prod')]) {
        const error = await failure(action);
        expect(error).to.include({kind: 'usage'});
        expect(error.message).to.include(store.path).and.include('it was not touched');
        expect(error.hint).to.include('flag or environment');
      }
      expect(settingsText()).to.equal(text);
    });
  }

  it('reports a file that it cannot read or write', async () => {
    mkdirSync(store.path, {recursive: true});
    expect((await failure(() => store.read())).message).to.include('it is not a regular file');
    const elsewhere = new ProfileStore({base: at(), path: join(directory, 'file', 'below')});
    writeFileSync(join(directory, 'file'), '');
    const error = await failure(() =>
      elsewhere.saveWithKey('prod', {base_url: 'http://a.example'}, key),
    );
    expect(error.message).to.match(/^Cannot write .*: not a directory \(ENOTDIR\)$/);
    expect(error.hint).to.include('Nothing was saved');
  });

  it('keeps unknown fields of the settings file', async () => {
    mkdirSync(directory);
    const profile = {base_url: 'http://a.example', color: 'red'};
    const text = {version: 1, current: 'a', theme: 'dark', profiles: {a: profile}};
    writeFileSync(store.path, JSON.stringify(text));
    await add('b', 'http://b.example');
    expect(JSON.parse(settingsText())).to.deep.equal({
      ...text,
      profiles: {a: profile, b: {base_url: 'http://b.example'}},
    });
  });

  it('reports a profile that does not exist, even if its name is a property of every object', async () => {
    await add('prod');
    for (const name of ['test', 'constructor', '__proto__']) {
      expect((await failure(() => store.get(name))).message).to.include(JSON.stringify(name));
    }
    await add('constructor');
    expect(await store.get('constructor')).to.deep.equal({base_url: 'http://a.example'});
  });

  it('accepts only profile names that are valid file names', () => {
    for (const name of ['prod', 'a.b-c_d', '1', 'x'.repeat(64)]) {
      expect(checkProfileName(name)).to.equal(name);
    }
    for (const name of ['', '.', '..', '../a', 'a/b', '-a', '__proto__', 'a b', 'x'.repeat(65)]) {
      expect(() => checkProfileName(name), name).to.throw(/is not a valid profile name/);
    }
  });
});
