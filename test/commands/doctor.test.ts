import {readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import type {StepFinding} from '../../src/render/report/steps.js';
import {makeCertificate} from '../support/certificates.js';
import {runChild} from '../support/child.js';
import {savedCredentials} from '../support/credentials.js';
import {closedPort} from '../support/ports.js';
import {runCommand} from '../support/run-command.js';
import {activationToken, connectorKey, organizationKey} from '../support/secrets.js';
import {closeTcpServices, tcpService} from '../support/tcp-service.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';
import {tunnelProxy} from '../support/tunnel-proxy.js';

const key = organizationKey();

type Env = Readonly<Record<string, string>>;

describe('doctor', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  const environment = (url: string, more: Env = {}): Env => ({
    XDG_CONFIG_HOME: at(),
    CONNECTORCTL_BASE_URL: url,
    CONNECTORCTL_API_KEY: key,
    ...more,
  });

  /** The findings about a service, and the exit code. */
  async function examine(url: string, more: Env = {}, words: readonly string[] = []) {
    const run = await runCommand(['doctor', '--json', ...words], environment(url, more));
    expect(run.stderr).to.equal('');
    const findings = stepsOf(run.stdout);
    const last = findings.at(-1)!;
    return {code: run.code, findings, last, hint: last.details?.['hint']};
  }

  /** The findings about the way to the service; those before them describe the program and its settings. */
  const stepsOf = (stdout: string): StepFinding[] =>
    JSON.parse(stdout).findings.filter(({status}: {status: string}) => status !== 'info');

  const names = (findings: readonly StepFinding[]) =>
    findings.map(({id, status}) => `${id} ${status}`);

  it('refuses a report in the place of a file that a flag or a variable names', async () => {
    writeFileSync(at('web-1.json'), JSON.stringify(savedCredentials()));
    const before = readFileSync(at('web-1.json'), 'utf8');
    const env = environment('http://127.0.0.1:1');
    const report = ['--report', `json=${at('web-1.json')}`];
    for (const [words, more] of [
      [['--credentials-file', at('web-1.json')], {}],
      [[], {CONNECTORCTL_CREDENTIALS_FILE: at('web-1.json')}],
      [[], {SSL_CERT_FILE: at('web-1.json')}],
    ] as const) {
      const run = await runCommand(['doctor', ...report, ...words], {...env, ...more});
      expect(run.code).to.equal(2);
      expect(run.stderr).to.include('which this command uses');
      expect(readFileSync(at('web-1.json'), 'utf8')).to.equal(before);
    }
  });

  it('shows each setting with its source, then the result of each step', async () => {
    const {url} = await thirdPartyService(json([]));
    const {code, stdout, stderr} = await runCommand(
      ['doctor', '--retries', '0'],
      environment(url, {CONNECTORCTL_TIMEOUT: '2500ms'}),
    );
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    const port = new URL(url).port;
    expect(stdout.replace(/within \ds/, 'within …')).to.equal(
      [
        `settings file  ${at('connectorctl/settings.json')} (does not exist yet)`,
        'profile        none (none in use)',
        `base URL       ${url} (CONNECTORCTL_BASE_URL)`,
        'API key        given (CONNECTORCTL_API_KEY)',
        'key header     Authorization (default)',
        'time limit     2.5s (CONNECTORCTL_TIMEOUT)',
        'retries        0 (--retries)',
        '',
        `ok    TCP       127.0.0.1, port ${port} accepts connections`,
        'ok    HTTP      the service speaks HTTP/1.1',
        'ok    clock     within … of the service',
        'ok    key       the service accepts it',
        '',
      ].join('\n'),
    );
  });

  it('names the profile in use and the flag and the variable that override it', async () => {
    const {url} = await thirdPartyService(json([]));
    const home = {XDG_CONFIG_HOME: at()};
    await runCommand(['profile', 'set', 'prod', '--base-url', 'https://prod.test'], home);
    await runCommand(['profile', 'use', 'prod'], home);
    const {stdout} = await runCommand(['doctor', '--base-url', url], environment(url, home));
    expect(stdout).to.include(
      'profile        prod (in use, but overridden by --base-url and CONNECTORCTL_API_KEY)\n',
    );
  });

  it('names the profile, and shows that its key is withheld from another service', async () => {
    const {url} = await thirdPartyService(json({}, 401));
    const home = {XDG_CONFIG_HOME: at(), CONNECTORCTL_API_KEY: ''};
    writeFileSync(at('key'), key);
    await runCommand(
      ['profile', 'set', 'own', '--base-url', url, '--api-key-file', at('key')],
      home,
    );
    const own = await runCommand(['doctor', '--json'], home);
    const settings = (run: {stdout: string}) =>
      Object.fromEntries(
        (JSON.parse(run.stdout).findings as {id: string; subject: string; message: string}[])
          .filter(({id}) => id === 'setting')
          .map(({subject, message}) => [subject, message]),
      );
    expect(settings(own)).to.include({
      profile: 'own (in use)',
      'base URL': `${url} (profile own)`,
      'API key': `in ${at('key')} (profile own)`,
    });
    const other = await runCommand(['doctor', '--json', '--base-url', `${url}/other`], home);
    expect(settings(other)['API key']).to.equal(
      'none (withheld: the key of profile own is for another service)',
    );
    expect(stepsOf(other.stdout).at(-1)?.details?.['hint']).to.include(
      `connectorctl login --profile NAME --base-url ${url}/other`,
    );
  });

  it('explains how to get a key when none is set', async () => {
    const asking = await thirdPartyService(json({}, 401));
    const {code, last, hint} = await examine(asking.url, {CONNECTORCTL_API_KEY: ''});
    expect(code).to.equal(3);
    expect(last).to.deep.include({id: 'key', status: 'fail'});
    expect(hint).to.include('connectorctl login').and.include('CONNECTORCTL_API_KEY');
    const open = await thirdPartyService(json([]));
    const free = await examine(open.url, {CONNECTORCTL_API_KEY: ''});
    expect(free.last.message).to.equal('no key is set, and the service requires none');
  });

  it('tests the key of a credentials file with a request for its connector', async () => {
    const service = await thirdPartyService(json({id: 'con_1'}));
    const credentials = savedCredentials({base_url: service.url});
    writeFileSync(at('web-1.json'), JSON.stringify(credentials));
    const words = ['--credentials-file', at('web-1.json')];
    const {code, last} = await examine('http://elsewhere.invalid', {}, words);
    expect(code).to.equal(0);
    expect(last.message).to.equal('the service accepts it for con_1');
    expect(service.seen.at(-1)).to.include({method: 'GET', path: '/api/connectors/con_1'});
    expect(service.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${connectorKey()}`);
  });

  it('says how to finish the activation of a pending credentials file, and tests its service', async () => {
    const {url, seen} = await thirdPartyService(json({}));
    const file = at('web-1.json');
    const reservation = {base_url: url, name: 'web-1', token: 't0ken'};
    const pending = JSON.stringify({...reservation, token_hash: 'h', idempotency_key: 'k'});
    writeFileSync(`${file}.pending`, pending, {mode: 0o600});
    const {code, stdout} = await runCommand(['doctor', '--credentials-file', file], {});
    expect(code).to.equal(2);
    expect(stdout)
      .to.include(`${file} is pending: its activation is not finished.`)
      .and.include(`Finish it with: connectorctl connector activate --credentials-file ${file}`)
      .and.include(url);
    expect(seen.filter(({method}) => method !== 'GET' && method !== 'HEAD')).to.deep.equal([]);
  });

  for (const [status, exit] of [
    [401, 3],
    [404, 4],
  ] as const) {
    it(`says after ${status} that the connector of a credentials file was removed or revoked`, async () => {
      const {url} = await thirdPartyService(json({}, status));
      const file = at('web-1.json');
      writeFileSync(file, JSON.stringify(savedCredentials({base_url: url})));
      const {code, stdout} = await runCommand(['doctor', '--credentials-file', file], {});
      expect(code).to.equal(exit);
      expect(stdout).to.include('The connector was removed, or its key revoked.');
    });
  }

  it('sends only GET requests, and the key only in the last one', async () => {
    const service = await thirdPartyService(json([]));
    await examine(`${service.url}/prefix`);
    expect(service.seen.map(({method, path}) => `${method} ${path}`)).to.deep.equal([
      'GET /prefix',
      'GET /prefix/api/connectors',
    ]);
    expect(service.seen[0]?.headers.authorization).to.equal(undefined);
  });

  describe('--token-file', () => {
    const token = activationToken();
    const check = async (content: string, more: Env = {}) => {
      const service = await thirdPartyService(json([]));
      writeFileSync(at('token'), content);
      const result = await examine(service.url, more, ['--token-file', at('token')]);
      return {...result, service, first: result.findings[0]};
    };

    it('checks the kind, the form and the checksum, and says where the token would be sent', async () => {
      const {code, findings, service} = await check(`${token}\n`);
      expect(code).to.equal(0);
      expect(names(findings)).to.deep.equal([
        ...['token pass', 'sent-to pass', 'tcp pass', 'http pass', 'clock pass', 'key pass'],
      ]);
      expect(findings.slice(0, 2).map(({message}) => message)).to.deep.equal([
        'an activation token of 53 characters, its checksum is correct',
        `connector activate would send it: POST ${service.url}/api/connectors/activate`,
      ]);
    });

    it('sends no request that holds the token, and none but GET', async () => {
      const {service, findings} = await check(token);
      expect(service.seen.map(({method}) => method)).to.deep.equal(['GET', 'GET']);
      expect(JSON.stringify([service.seen, findings])).not.to.include(token);
    });

    it('does not ask the service for a key, which connector activate does not need', async () => {
      const {code, service, last} = await check(token, {CONNECTORCTL_API_KEY: ''});
      expect([code, last.message]).to.deep.equal([
        0,
        'no key is set, and connector activate needs none',
      ]);
      expect(service.seen).to.have.length(1);
    });

    for (const [what, content, problem] of [
      ['an API key', key, /^That is an API key, not an activation token\.$/],
      ['a part of an API key', key.slice(0, 20), /^It begins like an API key, not like an /],
      ['nothing', '', /it is empty/],
    ] as const) {
      it(`exits 2 for a file with ${what}, never shows it, and still tests the connection`, async () => {
        const {code, first, findings, last} = await check(content);
        expect(code).to.equal(2);
        expect(first).to.include({id: 'token', status: 'fail'});
        expect(first?.message).to.match(problem);
        expect(last).to.include({id: 'key', status: 'pass'});
        if (content !== '') expect(JSON.stringify(findings)).not.to.include(content);
      });
    }

    it('leaves a token in another form to the service', async () => {
      const {code, first} = await check('another-token');
      expect([code, first?.message]).to.deep.equal([
        0,
        '13 characters, not in the form of the reference service: only the service can verify it',
      ]);
    });

    it('warns when plain HTTP would expose the token, even if the service is down', async () => {
      writeFileSync(at('token'), token);
      const words = ['--token-file', at('token')];
      const {code, findings} = await examine('http://connectors.invalid', {}, words);
      expect([code, ...names(findings)]).to.deep.equal([
        6,
        'token pass',
        'sent-to warn',
        'dns fail',
      ]);
    });

    it('reads the token from stdin with -', async () => {
      const {url} = await thirdPartyService(json([]));
      const run = await runChild(['doctor', '--token-file', '-', '--base-url', url], {
        input: token,
      });
      expect(run.code, run.stderr).to.equal(0);
      expect(run.stdout).to.match(/ok {4}token {5}an activation token of 53 /);
    });
  });

  describe('explains the problem with', () => {
    it('an invalid base URL', async () => {
      const {code, findings, hint} = await examine('nonsense');
      expect(code).to.equal(2);
      expect(names(findings)).to.deep.equal(['base-url fail']);
      expect(hint).to.include('http://host:port');
    });

    it('a host name that cannot be resolved', async () => {
      const {code, findings, last, hint} = await examine('http://connectors.invalid');
      expect(code).to.equal(6);
      expect(names(findings)).to.deep.equal(['dns fail']);
      expect(last.message).to.match(
        /the host name of http:\/\/connectors\.invalid .*\((ENOTFOUND|EAI_AGAIN)\)/,
      );
      expect(hint).to.include('base URL');
    });

    it('a port where nothing listens', async () => {
      const url = `http://localhost:${await closedPort()}`;
      const {code, findings, last, hint} = await examine(url);
      expect(code).to.equal(6);
      expect(names(findings)).to.deep.equal(['dns pass', 'tcp fail']);
      expect(last.message).to.equal(`nothing listens at ${url} (ECONNREFUSED)`);
      expect(hint).to.include('connectorctl serve');
    });

    it('a service that fails, with the exit code of its response', async () => {
      const {url} = await thirdPartyService(json({}, 500));
      const {code, findings, last, hint} = await examine(url);
      expect(code).to.equal(7);
      expect(names(findings)).to.deep.equal(['tcp pass', 'http pass', 'clock pass', 'key fail']);
      expect(last.message).to.include('500 Internal Server Error');
      expect(hint).to.be.a('string');
    });

    it('a service that redirects', async () => {
      const {url} = await thirdPartyService((_, response) => {
        response.writeHead(308, {location: 'https://connectors.example/api?token=secret'}).end();
      });
      const {findings} = await examine(url);
      expect(findings[1]).to.include({id: 'http', status: 'warn'});
      expect(findings[1]?.message).to.match(/ redirects to https:\/\/connectors\.example\/api$/);
      expect(findings[1]?.details?.['hint']).to.include('base URL');
    });

    for (const [seconds, said] of [
      [3600, 'this machine is 3600s behind the service'],
      [-90, 'this machine is 90s ahead of the service'],
    ] as const) {
      it(`the clock when ${said}`, async () => {
        const service = await thirdPartyService((_, response) => {
          const date = new Date(Date.now() + seconds * 1000).toUTCString();
          response.writeHead(200, {date, 'content-type': 'application/json'}).end('[]');
        });
        const before = Date.now();
        const {code, findings, last} = await examine(service.url);
        const elapsed = (Date.now() - before) / 1000;
        expect(code).to.equal(2);
        expect(names(findings)).to.deep.equal(['tcp pass', 'http pass', 'clock fail', 'key pass']);
        const {message} = findings[2]!;
        expect(message.replace(/\d+s/, `${Math.abs(seconds)}s`)).to.equal(said);
        const measured = Number.parseInt(message.replace(/\D+/, ''), 10);
        // A Date header has whole seconds, and the detail is rounded.
        expect(measured).to.be.closeTo(Math.abs(seconds), elapsed + 2);
        expect(last.id).to.equal('key');
      });
    }

    it('a service that sends no Date header', async () => {
      const {url} = await thirdPartyService((_, response) => {
        response.sendDate = false;
        response.writeHead(200, {'content-type': 'application/json'}).end('[]');
      });
      expect((await examine(url)).findings[2]?.message).to.equal('the service sends no time');
    });
  });

  describe('never hangs on', () => {
    afterEach(closeTcpServices);

    for (const [scheme, silent] of [
      ['http', 'http'],
      ['https', 'tls'],
    ] as const) {
      it(`a port that accepts connections but never responds to ${silent}`, async () => {
        const {port} = await tcpService();
        const {code, findings, last, hint} = await examine(`${scheme}://127.0.0.1:${port}`, {
          CONNECTORCTL_TIMEOUT: '2s',
        });
        expect(code).to.equal(6);
        expect(names(findings)).to.deep.equal(['tcp pass', `${silent} fail`]);
        expect(last.message).to.equal('timed out after 2s');
        expect(hint).to.include('--timeout');
      });
    }

    it('a port that closes connections', async () => {
      const service = await tcpService((socket) => socket.destroy());
      const {code, last} = await examine(service.url);
      expect(code).to.equal(6);
      expect(last.message).to.match(/was lost before the response .*\(ECONNRESET\)$/);
    });

    it('a port without TLS when the URL is https', async () => {
      const {url} = await thirdPartyService(json([]));
      const {code, findings, hint} = await examine(url.replace('http:', 'https:'));
      expect(code).to.equal(6);
      expect(names(findings)).to.deep.equal(['tcp pass', 'tls fail']);
      expect(hint).to.include('http://');
    });
  });

  describe('with TLS', () => {
    const secure = async (...valid: Parameters<typeof makeCertificate>) => {
      const pems = await makeCertificate(...valid);
      const {url} = await thirdPartyService(json([]), pems);
      writeFileSync(at('trusted.pem'), pems.cert);
      return url;
    };
    /** Runs doctor in a process, because NODE_EXTRA_CA_CERTS is read only at process start. */
    const trusting = async (url: string, more: Env = {}) => {
      const env = environment(url, {NODE_EXTRA_CA_CERTS: at('trusted.pem'), ...more});
      const run = await runChild(['doctor', '--json'], {env});
      const findings = stepsOf(run.stdout);
      return {code: run.code, tls: findings[1]!, findings};
    };

    it('shows how long the certificate is valid', async () => {
      const {code, tls, findings} = await trusting(await secure('127.0.0.1', -1, 90.5));
      expect(code).to.equal(0);
      expect(tls).to.include({
        id: 'tls',
        status: 'pass',
        message: 'TLSv1.3, certificate valid for 90 more days',
      });
      expect(names(findings)).to.deep.equal([
        'tcp pass',
        'tls pass',
        'http pass',
        'clock pass',
        'key pass',
      ]);
    });

    it('warns when the certificate must be renewed soon', async () => {
      const {code, tls} = await trusting(await secure('127.0.0.1', -1, 1.5));
      expect(code).to.equal(0);
      expect(tls.status).to.equal('warn');
      expect(tls.details).to.deep.equal({hint: 'Renew it soon.'});
      expect(tls.message).to.equal('TLSv1.3, certificate valid for 1 more day');
    });

    it('explains an invalid certificate, shows its host name, and suggests a fix', async () => {
      const {code, tls, findings} = await trusting(await secure('connectors.example', -1, 9));
      expect(code).to.equal(6);
      expect(names(findings)).to.deep.equal(['tcp pass', 'tls fail']);
      expect(tls.message).to.include('(ERR_TLS_CERT_ALTNAME_INVALID); it is for ');
      expect(tls.message).to.match(
        /connectors\.example, valid until \d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/,
      );
      expect(tls.details?.['hint']).to.include('name that is in');
    });

    it('sends nothing to a service whose certificate is invalid', async () => {
      const {url, seen} = await thirdPartyService(
        json([]),
        await makeCertificate('127.0.0.1', -1, 9),
      );
      expect((await examine(url)).code).to.equal(6);
      expect(seen).to.deep.equal([]);
    });

    it('fails for an untrusted certificate even if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
      const url = await secure('127.0.0.1', -1, 90);
      const env = environment(url, {NODE_TLS_REJECT_UNAUTHORIZED: '0'});
      const {code, stdout} = await runChild(['doctor'], {env});
      expect(code).to.equal(6);
      expect(stdout).to.include('DEPTH_ZERO_SELF_SIGNED_CERT');
    });
  });

  describe('through a proxy', () => {
    const through = async (response: Respond, refusal?: number) => {
      const proxy = await tunnelProxy();
      const {url} = await thirdPartyService(response);
      proxy.destination = Number(new URL(url).port);
      proxy.refusal = refusal;
      return proxy;
    };

    it('tests the tunnel of the proxy, and takes the later steps through it', async () => {
      const proxy = await through(json([]));
      const env = {HTTP_PROXY: `http://user:hunter2@${proxy.address}`};
      const {code, findings} = await examine('http://connectors.example', env);
      await proxy.close();
      expect(code).to.equal(0);
      expect(names(findings)).to.deep.equal(['proxy pass', 'http warn', 'clock pass', 'key pass']);
      expect(findings[0]?.message).to.equal(`http://${proxy.address}, from the environment`);
      expect(findings[1]?.message).to.include('is sent unencrypted');
      expect(JSON.stringify(findings)).not.to.include('hunter2');
      expect(proxy.tunnels[0]?.target).to.equal('connectors.example:80');
    });

    it('reports that the proxy refuses the connection', async () => {
      const proxy = await through(json([]), 407);
      const env = {HTTPS_PROXY: `http://${proxy.address}`};
      const {code, findings, last} = await examine('https://connectors.example', env);
      await proxy.close();
      expect(code).to.equal(6);
      expect(names(findings)).to.deep.equal(['proxy fail']);
      expect(last.message).to.include('the proxy refused to connect to https://connectors.example');
      expect(last.details?.['hint'])
        .to.include('HTTPS_PROXY')
        .and.include(`http://${proxy.address}`);
    });

    for (const [variable, url] of [
      ['HTTP_PROXY', 'http://connectors.example'],
      ['https_proxy', 'https://connectors.example'],
      ['ALL_PROXY', 'https://connectors.example'],
    ] as const) {
      it(`names a proxy that nothing listens at, and ${variable}, which names it`, async () => {
        const proxy = await tunnelProxy();
        proxy.stopListening();
        const env = {[variable]: `http://user:hunter2@${proxy.address}`};
        const {code, findings, last, hint} = await examine(url, env);
        await proxy.close();
        expect(code).to.equal(6);
        expect(names(findings)).to.deep.equal(['proxy fail']);
        expect(last.message).to.equal(
          `nothing listens at the proxy http://${proxy.address} (ECONNREFUSED)`,
        );
        expect(hint).to.equal(`Check ${variable}, or set NO_PROXY to connectors.example.`);
      });
    }
  });
});
