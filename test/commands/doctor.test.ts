import {mkdirSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {savedCredentials} from '../support/command/credentials.js';
import {runCommand} from '../support/command/run-command.js';
import {makeCertificate} from '../support/network/certificates.js';
import {closedPort} from '../support/network/ports.js';
import {tunnelProxy} from '../support/network/tunnel-proxy.js';
import {runChild} from '../support/process/child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {connectorKey, organizationKey} from '../support/values/secrets.js';

const key = organizationKey();

type Env = Readonly<Record<string, string>>;

describe('doctor', () => {
  const at = temporaryDirectory();

  const environment = (url: string, more: Env = {}): Env => ({
    XDG_CONFIG_HOME: at(),
    CONNECTORCTL_BASE_URL: url,
    CONNECTORCTL_API_KEY: key,
    ...more,
  });
  const doctor = (url: string, more: Env = {}, words: readonly string[] = []) =>
    runCommand(['doctor', ...words], environment(url, more));
  /** The value of a row. */
  const row = (stdout: string, name: string) =>
    new RegExp(`^${name} {2,}(.*)$`, 'm').exec(stdout)?.[1];

  it('says that the key of a profile is withheld from another service', async () => {
    const {url} = await thirdPartyService(json([]));
    const profiles = {prod: {base_url: 'https://prod.example', api_key: key}};
    mkdirSync(at('connectorctl'), {mode: 0o700});
    const settings = JSON.stringify({version: 1, current: 'prod', profiles});
    writeFileSync(at('connectorctl/settings.json'), settings, {mode: 0o600});
    const {stdout} = await doctor(url, {CONNECTORCTL_API_KEY: ''});
    expect(row(stdout, 'API key')).to.equal('none (withheld: it is for another service)');
  });

  it('shows each setting with its source, then what one request met', async () => {
    const {url, seen} = await thirdPartyService(json([]));
    const {code, stdout, stderr} = await doctor(url, {CONNECTORCTL_TIMEOUT: '2500ms'}, [
      '--retries',
      '0',
    ]);
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(stdout.replace(/within \ds/, 'within …')).to.equal(
      [
        `settings file  ${at('connectorctl/settings.json')} (does not exist yet)`,
        'profile        none (not used)',
        `base URL       ${url} (CONNECTORCTL_BASE_URL)`,
        'API key        given (CONNECTORCTL_API_KEY)',
        'key header     Authorization (default)',
        'time limit     2.5s (CONNECTORCTL_TIMEOUT)',
        'retries        0 (--retries)',
        '',
        `address        127.0.0.1:${new URL(url).port}`,
        'proxy          none',
        'certificate    none: the connection is not encrypted',
        'clock          within … of the service',
        'key            the service accepts it',
        '',
      ].join('\n'),
    );
    expect(seen.map(({method, path}) => `${method} ${path}`)).to.deep.equal([
      'GET /api/connectors',
    ]);
  });

  it('shows the way to a service that asks for a key, then how to get one', async () => {
    const {url} = await thirdPartyService(json({}, 401));
    const {code, stdout, stderr} = await doctor(url, {CONNECTORCTL_API_KEY: ''});
    expect(code).to.equal(3);
    expect(row(stdout, 'address')).to.include('127.0.0.1');
    expect(row(stdout, 'key')).to.equal(undefined);
    expect(stderr).to.include('connectorctl login').and.include('CONNECTORCTL_API_KEY');
    const open = await thirdPartyService(json([]));
    const free = await doctor(open.url, {CONNECTORCTL_API_KEY: ''});
    expect(row(free.stdout, 'key')).to.equal('no key is set, and the service requires none');
  });

  it('tests the key of a credentials file with a request for its connector', async () => {
    const service = await thirdPartyService(json({id: 'con_1'}));
    const credentials = savedCredentials({base_url: service.url});
    writeFileSync(at('web-1.json'), JSON.stringify(credentials));
    const words = ['--credentials-file', at('web-1.json')];
    const {code, stdout} = await doctor('http://elsewhere.invalid', {}, words);
    expect(code).to.equal(0);
    expect(row(stdout, 'key')).to.equal('the service accepts it for con_1');
    expect(service.seen.at(-1)).to.include({method: 'GET', path: '/api/connectors/con_1'});
    expect(service.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${connectorKey()}`);
  });

  it('says how to finish the activation of a pending credentials file', async () => {
    const {url, seen} = await thirdPartyService(json({}));
    const file = at('web-1.json');
    const reservation = {base_url: url, name: 'web-1', token: 't0ken'};
    const pending = JSON.stringify({...reservation, token_hash: 'h', idempotency_key: 'k'});
    writeFileSync(`${file}.pending`, pending, {mode: 0o600});
    const {code, stderr} = await runCommand(['doctor', '--credentials-file', file], {});
    expect(code).to.equal(2);
    expect(stderr)
      .to.include(`${file} is pending: its activation is not finished.`)
      .and.include(`Finish it with: connectorctl connector activate --credentials-file ${file}`);
    expect(seen).to.deep.equal([]);
  });

  for (const [seconds, said] of [
    [3600, /^this machine is 60m behind the service: correct the wrong clock/],
    [-90, /^this machine is 9\ds ahead of the service: correct the wrong clock/],
  ] as const) {
    it(`shows a clock that is wrong by ${seconds} seconds`, async () => {
      const service = await thirdPartyService((_, response) => {
        const date = new Date(Date.now() + seconds * 1000).toUTCString();
        response.writeHead(200, {date, 'content-type': 'application/json'}).end('[]');
      });
      expect(row((await doctor(service.url)).stdout, 'clock')).to.match(said);
    });
  }

  it('shows that a service sends no time', async () => {
    const {url} = await thirdPartyService((_, response) => {
      response.sendDate = false;
      response.writeHead(200, {'content-type': 'application/json'}).end('[]');
    });
    expect(row((await doctor(url)).stdout, 'clock')).to.equal('the service sends no time');
  });

  it('shows the settings, and then the error of a request that had no response', async () => {
    const url = `http://localhost:${await closedPort()}`;
    const {code, stdout, stderr} = await doctor(url);
    expect(code).to.equal(6);
    expect(row(stdout, 'base URL')).to.include(url);
    expect(row(stdout, 'address')).to.equal(undefined);
    expect(stderr).to.include('ECONNREFUSED').and.include('connectorctl serve');
  });

  it('warns that plain HTTP to another machine shows the key', async () => {
    const proxy = await tunnelProxy();
    const {url} = await thirdPartyService(json([]));
    proxy.destination = Number(new URL(url).port);
    const env = {HTTP_PROXY: `http://user:hunter2@${proxy.address}`};
    const {code, stdout, stderr} = await doctor('http://connectors.example', env);
    expect(code).to.equal(0);
    expect(stderr).to.include('is not encrypted: the API key can be read in transit');
    expect(row(stdout, 'proxy')).to.equal(`http://${proxy.address}`);
    expect(stdout).not.to.include('hunter2');
    expect(proxy.tunnels[0]?.target).to.equal('connectors.example:80');
  });

  describe('with TLS', () => {
    /** Runs doctor in a process, because NODE_EXTRA_CA_CERTS is read only at process start. */
    const trusting = async (...valid: Parameters<typeof makeCertificate>) => {
      const pems = await makeCertificate(...valid);
      const {url} = await thirdPartyService(json([]), pems);
      writeFileSync(at('trusted.pem'), pems.cert);
      const env = environment(url, {NODE_EXTRA_CA_CERTS: at('trusted.pem')});
      return runChild(['doctor'], {env});
    };

    it('shows when the certificate ends, and that it is to be renewed soon', async () => {
      const long = await trusting('127.0.0.1', -1, 90.5);
      expect(long.code, long.stderr).to.equal(0);
      expect(row(long.stdout, 'certificate')).to.match(/^valid until 2\d{3}-\S+Z, 90 more days$/);
      const short = await trusting('127.0.0.1', -1, 1.5);
      expect(row(short.stdout, 'certificate')).to.match(/, 1 more day: renew it soon$/);
    });
  });
});
