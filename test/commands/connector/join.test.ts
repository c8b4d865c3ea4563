import {readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {joinWord} from '../../../src/connector/activate/join.js';
import {runCli} from '../../support/command/run-cli.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, type ThirdPartyService, thirdPartyService} from '../../support/third-party.js';
import {activationToken, connectorKey, organizationKey} from '../../support/values/secrets.js';

describe('a join word', () => {
  const at = temporaryDirectory();
  let service: ThirdPartyService;
  let word: string;
  const token = activationToken();

  beforeEach(async () => {
    service = await thirdPartyService(
      json({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201),
    );
    word = joinWord(`${service.url}/team-a`, token);
  });

  const activate = (text: string, ...flags: readonly string[]) => {
    writeFileSync(at('token'), text);
    const words = ['connector', 'activate', '--name', 'web-1', '--token-file', at('token')];
    return runCli([...words, '--credentials-file', at('web-1.json'), ...flags], {home: at()});
  };

  it('activates at its service, with a path prefix and the line breaks of a chat', async () => {
    const run = await activate(`  ${word.replace(/.{30}/g, '$&\n> ').replaceAll('> ', '  ')}\n`);
    expect(run.code, run.stderr).to.equal(0);
    expect(run.stderr).to.include(`The token is for ${service.url}/team-a.`);
    expect(service.seen.map(({path}) => path)).to.deep.equal(['/team-a/api/connectors/activate']);
    expect(JSON.parse(service.seen[0]?.body ?? '')).to.deep.equal({token, name: 'web-1'});
    const saved = JSON.parse(readFileSync(at('web-1.json'), 'utf8'));
    expect(saved.base_url).to.equal(`${service.url}/team-a`);
  });

  it('starts connector run for the first time', async () => {
    writeFileSync(at('token'), word);
    const words = ['connector', 'run', '--credentials-file', at('web-1.json')];
    const run = await runCli([...words, '--token-file', at('token'), '--', 'true'], {home: at()});
    expect(run.code, run.stderr).to.equal(0);
    expect(service.seen[0]?.path).to.equal('/team-a/api/connectors/activate');
  });

  it('does not get the API key of the environment, which belongs to another service', async () => {
    const words = ['connector', 'activate', '--name', 'web-1'];
    const env = {
      CONNECTORCTL_ACTIVATION_TOKEN: word,
      CONNECTORCTL_API_KEY: organizationKey(),
    };
    expect((await runCli(words, {home: at(), env})).code).to.equal(0);
    expect(service.seen[0]?.headers).not.to.have.property('authorization');
  });

  for (const [what, change] of [
    ['a label', (text: string) => `Token: ${text}`],
    ['a capital', (text: string) => text.replace('j', 'J')],
    ['other lines', (text: string) => `Here you are:\n> ${text}\n`],
    ['a character too few', (text: string) => text.slice(0, -1)],
  ] as const) {
    it(`with ${what} is sent nowhere, whichever way it comes`, async () => {
      const text = change(word);
      writeFileSync(at('token'), text);
      writeFileSync(at('list.csv'), `name\n"${text}"\n`);
      const file = ['--credentials-file', at('web-1.json')];
      const CONNECTORCTL_BASE_URL = service.url;
      for (const [words, env] of [
        [['activate', '--name', 'web-1', '--token-file', at('token')]],
        [['activate', '--name', 'web-1'], {CONNECTORCTL_ACTIVATION_TOKEN: text}],
        [['run', ...file, '--token-file', at('token')]],
        [['enroll', at('list.csv'), '--credentials-dir', at('out')]],
        [['activate', '--name', text], {CONNECTORCTL_ACTIVATION_TOKEN: token}],
        [['list'], {CONNECTORCTL_API_KEY: text}],
        [['list', '--api-key-file', at('token')]],
      ] as const) {
        const all = {CONNECTORCTL_API_KEY: organizationKey(), CONNECTORCTL_BASE_URL, ...env};
        const run = await runCli(['connector', ...words], {home: at(), env: all});
        expect(run, words.join(' ')).to.deep.include({code: 2, stdout: ''});
        expect(run.stderr).not.to.include(word.slice(5, 25));
      }
      expect(service.seen).to.deep.equal([]);
    });
  }

  it('is the source of the base URL in --debug, which shows that no key goes there', async () => {
    const env = {CONNECTORCTL_API_KEY: organizationKey(), CONNECTORCTL_ACTIVATION_TOKEN: word};
    const words = ['connector', 'activate', '--name', 'web-1', '--debug'];
    const {code, stderr} = await runCli(words, {home: at(), env});
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include(`* base URL: ${service.url}/team-a (join word)\n`);
    expect(stderr).to.include('* API key: none (withheld: it is for another service)\n');
    expect(stderr).not.to.include('undefined');
  });

  it('is refused with the base URL of another service', async () => {
    const run = await activate(word, '--base-url', 'http://127.0.0.1:9');
    expect(run.code).to.equal(2);
    expect(run.stderr).to.include(
      `The token is for ${service.url}/team-a, not for http://127.0.0.1:9; nothing was sent.`,
    );
    expect(run.stderr).to.include(`pass --base-url ${service.url}/team-a.`);
    expect(service.seen).to.deep.equal([]);
  });

  it('is refused with the profile of another service, unless the command line names its own', async () => {
    const env = {CONNECTORCTL_API_KEY: organizationKey()};
    const set = ['profile', 'set', 'prod', '--base-url', 'http://127.0.0.1:9'];
    expect((await runCli(set, {home: at(), env})).code).to.equal(0);
    const run = await activate(word);
    expect(run.code).to.equal(2);
    expect(run.stderr).to.include('not for http://127.0.0.1:9; nothing was sent.');
    expect(service.seen).to.deep.equal([]);
    expect((await activate(word, '--base-url', `${service.url}/team-a`)).code).to.equal(0);
  });

  it('is refused with the credentials file of another service, also with --force', async () => {
    const first = await activate(word);
    expect(first.code, first.stderr).to.equal(0);
    const other = joinWord('https://other.example', activationToken(2));
    const run = await activate(other, '--force');
    expect(run.code).to.equal(2);
    expect(run.stderr).to.include('The token is for https://other.example, not for');
    expect(service.seen).to.have.length(1);
  });

  it('has an address that obeys the rules of a base URL', async () => {
    const run = await activate(joinWord('ftp://h.example', token));
    expect(run.code).to.equal(2);
    expect(run.stderr).to.include('must be http or https');
    expect(service.seen).to.deep.equal([]);
  });

  it('is no name and no path', async () => {
    const env = {CONNECTORCTL_ACTIVATION_TOKEN: token, CONNECTORCTL_BASE_URL: service.url};
    const run = await runCli(['connector', 'activate', '--name', word], {home: at(), env});
    expect(run.code).to.equal(2);
    expect(run.stderr).to.include('a join word, which holds an activation token');
    expect(run.stderr).not.to.include(word.slice(5, 20));
  });
});

describe('token create --join', () => {
  const at = temporaryDirectory();
  const token = activationToken();

  const create = async (host: string, ...flags: readonly string[]) => {
    const body = {token, expires_at: '2099-01-01T00:00:00Z'};
    const service = await thirdPartyService(json(body, 201));
    const CONNECTORCTL_BASE_URL = service.url.replace('127.0.0.1', host);
    const env = {CONNECTORCTL_BASE_URL, CONNECTORCTL_API_KEY: organizationKey()};
    const run = await runCli(['token', 'create', '--join', ...flags], {home: at(), env});
    return {...run, service};
  };
  const joinUrl = ['--join-url', 'https://connectors.example/a/'];
  const expected = joinWord('https://connectors.example/a', token);

  it('prints one word, and the command without an address', async () => {
    const {code, stdout, stderr} = await create('127.0.0.1', ...joinUrl);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal(`${expected}\n`);
    expect(stderr).to.include('  connectorctl connector activate\n');
    expect(stderr).not.to.include(token);
  });

  it('adds it to the JSON of the service', async () => {
    const {stdout} = await create('127.0.0.1', ...joinUrl, '--json');
    expect(JSON.parse(stdout)).to.include({token, join: expected});
  });

  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:7f00:1]', 'localhost.']) {
    it(`refuses ${host}, an address of this machine, and creates no token`, async () => {
      const {code, stderr, service} = await create(host);
      expect(code).to.equal(2);
      expect(stderr).to.match(/Other machines do not reach .*; nothing was done\./);
      expect(stderr).to.include(host).and.include('--join-url URL');
      expect(service.seen).to.deep.equal([]);
    });
  }
});
