import {expect} from 'chai';
import type {Profile, SettingsFile} from '../../src/service/profiles/store.js';
import {
  type CredentialsFileService,
  chooseProfile,
  clientOptions,
  resolveService,
  type ServiceFlagValues,
} from '../../src/service/settings.js';
import {fakeIo} from '../support/process/io.js';

const own: Profile = {
  base_url: 'https://own.example/',
  api_key: 'own-key',
  auth_header: 'X-Key',
};

/** Resolves the settings. @param words the flags given on the command line; the other values come from the environment */
async function resolve(
  flags: ServiceFlagValues = {},
  words: readonly (keyof ServiceFlagValues)[] = [],
  known?: CredentialsFileService,
) {
  const saved: SettingsFile = {version: 1, current: 'own', profiles: {own}};
  const store = {path: '/none', read: async () => saved};
  const given = (flag: keyof ServiceFlagValues) => words.includes(flag);
  return resolveService(
    flags,
    given,
    await chooseProfile(flags, given, store, known, fakeIo()),
    known,
  );
}

describe('the service settings', () => {
  afterEach(() => {
    delete process.env['CONNECTORCTL_API_KEY'];
  });

  it('come from the current profile, otherwise from the defaults', async () => {
    expect(await resolve()).to.deep.equal({
      profile: {value: 'own', origin: 'current'},
      baseUrl: {value: 'https://own.example/', origin: 'profile'},
      apiKey: {text: 'own-key', origin: 'profile'},
      authHeader: {value: 'X-Key', origin: 'profile'},
      timeout: {value: 10_000, origin: 'default'},
      retries: {value: 2, origin: 'default'},
    });
  });

  it('prefer a flag to the environment, and the environment to the profile', async () => {
    const flags = {'base-url': 'https://own.example', 'auth-header': 'X-Other', timeout: 5};
    const mixed = await resolve(flags, ['timeout']);
    expect(mixed.baseUrl).to.deep.equal({value: 'https://own.example', origin: 'environment'});
    expect(mixed.authHeader).to.deep.equal({value: 'X-Other', origin: 'environment'});
    expect(mixed.timeout).to.deep.equal({value: 5, origin: 'flag'});
    expect(mixed.apiKey).to.deep.equal({text: 'own-key', origin: 'profile'});
  });

  it('prefer the key file of a flag to CONNECTORCTL_API_KEY, and that to CONNECTORCTL_API_KEY_FILE', async () => {
    process.env['CONNECTORCTL_API_KEY'] = ' key\n';
    const flags = {'api-key-file': '/keys/other'};
    const flag = await resolve(flags, ['api-key-file']);
    expect(flag.apiKey).to.deep.equal({file: '/keys/other', origin: 'flag'});
    const variable = await resolve(flags);
    expect(variable.apiKey.origin).to.equal('environment');
    expect((await clientOptions(variable, fakeIo())).apiKey).to.equal('key');
    process.env['CONNECTORCTL_API_KEY'] = ' ';
    const file = await resolve(flags);
    expect(file.apiKey).to.deep.equal({file: '/keys/other', origin: 'environment'});
    const profile = await resolve({'base-url': 'https://own.example'});
    expect(profile.apiKey).to.deep.equal({text: 'own-key', origin: 'profile'});
  });

  it('do not use the key and header of a profile for another service', async () => {
    for (const url of [
      'https://own.example/prefix',
      'http://own.example',
      'https://b',
      'nonsense',
    ]) {
      const other = await resolve({'base-url': url}, ['base-url']);
      expect(other.apiKey, url).to.deep.equal({origin: 'withheld'});
      expect(other.authHeader, url).to.deep.equal({value: 'Authorization', origin: 'default'});
    }
  });

  it('prefer a credentials file to the environment and the profile, and a flag to the credentials file', async () => {
    process.env['CONNECTORCTL_API_KEY'] = 'key';
    const known = {baseUrl: 'https://made.example', apiKey: 'cck_1'};
    const flags = {'base-url': 'https://other.example', 'api-key-file': '/keys/other'};
    const fromFile = await resolve(flags, [], known);
    expect(fromFile.baseUrl).to.deep.equal({value: 'https://made.example', origin: 'file'});
    expect(fromFile.apiKey).to.deep.equal({text: 'cck_1', origin: 'file'});
    expect(fromFile.authHeader.origin).to.equal('default');
    const fromFlags = await resolve(flags, ['base-url', 'api-key-file'], known);
    expect(fromFlags.baseUrl.origin).to.equal('flag');
    expect(fromFlags.apiKey).to.deep.equal({file: '/keys/other', origin: 'flag'});
    const without = await resolve({}, [], {baseUrl: 'https://made.example', apiKey: undefined});
    expect(without.apiKey).to.deep.equal({origin: 'unset'});
  });

  it('refuse to send the key of a credentials file to another service', async () => {
    const known = {baseUrl: 'https://made.example/api', apiKey: 'cck_1'};
    const words = ['base-url'] as const;
    const same = await resolve({'base-url': 'https://made.example/api/'}, words, known);
    expect(same.apiKey).to.deep.equal({text: 'cck_1', origin: 'file'});
    for (const url of [
      'https://made.example',
      'http://made.example/api',
      'https://b',
      'nonsense',
    ]) {
      const error = await resolve({'base-url': url}, words, known).catch((caught) => caught);
      expect(error, url).to.have.property('kind', 'usage');
      expect(error.message).to.include(`https://made.example/api, not to ${url}; nothing was sent`);
    }
  });

  it('do not read the settings file when flags or a credentials file provide everything', async () => {
    const store = {
      path: '/none',
      read: () => Promise.reject(new Error('read')),
    };
    const everything = {'base-url': 'https://a', 'api-key-file': '/keys/a'};
    const none = {name: {value: undefined, origin: 'unset'}, profile: undefined};
    expect(await chooseProfile(everything, () => false, store, undefined, fakeIo())).to.deep.equal(
      none,
    );
    const known = {baseUrl: 'https://made.example', apiKey: undefined};
    expect(await chooseProfile({}, () => false, store, known, fakeIo())).to.deep.equal(none);
  });

  it('name the profile of a flag or of the environment as such', async () => {
    expect((await resolve({profile: 'own'}, ['profile'])).profile.origin).to.equal('flag');
    expect((await resolve({profile: 'own'})).profile.origin).to.equal('environment');
  });
});
