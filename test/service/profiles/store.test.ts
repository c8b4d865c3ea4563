import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {
  checkProfileName,
  existingProfile,
  ProfileStore,
  withProfile,
} from '../../../src/service/profiles/store.js';
import {failure} from '../../support/client.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the profile store', () => {
  let directory: string;
  let store: ProfileStore;

  const at = temporaryDirectory();

  beforeEach(() => {
    directory = at('connectorctl');
    store = new ProfileStore({base: at(), path: directory});
  });

  const settingsText = () => readFileSync(store.path, 'utf8');
  const mode = (path: string) => statSync(path).mode & 0o777;
  const add = (name: string, url = 'http://a.example') =>
    store.change((saved) => withProfile(saved, name, {base_url: url}, saved.current));

  it('is empty without a settings file, or when its directory is a regular file', async () => {
    const empty = {version: 1, current: null, profiles: {}};
    expect(await store.read()).to.deep.equal(empty);
    writeFileSync(directory, 'not a directory');
    expect(await store.read()).to.deep.equal(empty);
  });

  it('creates a file and a directory that only their owner can access, with any umask', async () => {
    const before = process.umask(0);
    try {
      await add('prod');
    } finally {
      process.umask(before);
    }
    expect([directory, store.path].map(mode)).to.deep.equal([0o700, 0o600]);
    expect(readdirSync(directory)).to.deep.equal(['settings.json']);
  });

  it('removes the access of other users when it rewrites a file', async () => {
    mkdirSync(directory);
    writeFileSync(store.path, '{"version": 1, "current": null, "profiles": {}}', {mode: 0o644});
    await add('prod');
    expect(mode(store.path)).to.equal(0o600);
  });

  for (const [what, text, why = 'has unknown content; it was not touched'] of [
    ['broken', '{"version": 1, "current"'],
    ['not a settings object', '[]'],
    ['empty', ''],
    ['without a base URL', '{"version": 1, "current": null, "profiles": {"a": {}}}'],
    ...['0', '2', '99', '"2"'].map(
      (version) =>
        [
          `of version ${version}`,
          `{"version": ${version}, "current": null, "profiles": {}}`,
          `has format version ${version}, not this build's (1); it was not touched`,
        ] as const,
    ),
  ] as const) {
    it(`rejects a file that is ${what}, and does not change it`, async () => {
      mkdirSync(directory);
      writeFileSync(store.path, text);
      for (const action of [() => store.read(), () => add('prod')]) {
        const error = await failure(action);
        expect(error).to.include({kind: 'usage'});
        expect(error.message).to.include(store.path).and.include(why);
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
      elsewhere.change((saved) => withProfile(saved, 'prod', {base_url: 'http://a'}, null)),
    );
    expect(error.message).to.match(/^Cannot write .*: not a directory \(ENOTDIR\)\.$/);
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
      const read = async () => existingProfile(await store.read(), name);
      expect((await failure(read)).message).to.include(JSON.stringify(name));
    }
    await add('constructor');
    const saved = existingProfile(await store.read(), 'constructor');
    expect(saved).to.deep.equal({base_url: 'http://a.example'});
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
