import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {sandboxNotice} from '../../../src/service/notices.js';
import {runCli} from '../../support/command/run-cli.js';
import {type ChildOptions, type Service, startServe} from '../../support/process/child.js';
import {suiteDirectory, temporaryDirectory} from '../../support/temporary-directory.js';

describe('serve --sandbox', () => {
  const at = temporaryDirectory();
  // Not in the home directory, in which a sandbox must write no file.
  const tokens = suiteDirectory();
  before(() => {
    writeFileSync(tokens('short'), 'short\n');
    writeFileSync(tokens('long'), '0123456789abcdef0123456789abcdef\n');
  });

  const start = async (args: readonly string[] = [], options: ChildOptions = {}) => {
    const service = await startServe(['--sandbox', '--log-level', 'silent', ...args], options);
    await service.until(/CONNECTORCTL_API_KEY=\S+\n/);
    return service;
  };
  const keyOf = (service: Service) =>
    /CONNECTORCTL_API_KEY=(\S+)/.exec(service.stderr())?.[1] ?? '';
  const authorization = (service: Service) => ({authorization: `Bearer ${keyOf(service)}`});
  const run = (service: Service, argv: readonly string[]) =>
    runCli(argv, {
      env: {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: keyOf(service)},
      home: at(),
    });
  const json = async (service: Service, argv: readonly string[]) =>
    JSON.parse((await run(service, [...argv, '--json'])).stdout);

  it('keeps its records in memory, and writes no file', async () => {
    const service = await start([], {home: at(), env: {TMPDIR: at()}});
    await run(service, ['sandbox', 'fleet', '3']);
    await fetch(`${service.url}/_sandbox/reset`, {method: 'POST'});
    await run(service, ['sandbox', 'fleet', '2']);
    expect(await json(service, ['connector', 'list'])).to.have.length(2);
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
    const written = readdirSync(at(), {recursive: true, encoding: 'utf8'});
    expect(written.filter((name) => !name.startsWith('.cache'))).to.deep.equal([]);
  });

  it('listens on any address with a control token, and plain HTTP still needs --insecure-http', async () => {
    const control = ['--host', '0.0.0.0', '--control-token-file', tokens('long')];
    const refused = await runCli(['serve', '--sandbox', ...control], {home: at()});
    expect([refused.code, refused.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && /--insecure-http/.test(text),
    );
    const service = await start([...control, '--insecure-http']);
    const {port} = new URL(service.url);
    const status = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.2:${port}/_sandbox/status`, {headers})).status;
    expect(await status({})).to.equal(401);
    const token = readFileSync(tokens('long'), 'utf8').trim();
    expect(await status({authorization: `Bearer ${token}`})).to.equal(200);
    expect(service.stderr()).to.include(tokens('long')).and.not.include(token);
  });

  it('returns the same errors, tokens and ids for the same seed and requests', async () => {
    const journey = async () => {
      const service = await start(['--seed', '7', '--fault', '*:503@30%']);
      const headers = authorization(service);
      const received: (readonly [status: number, body: string])[] = [];
      const send = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(service.url + path, {headers, ...init});
        received.push([response.status, await response.text()]);
      };
      for (let count = 0; count < 30; count += 1) {
        await send('/api/connectors?limit=1');
        await send('/api/connectors/create-token', {method: 'POST'});
      }
      const [, created] = received.find(([status]) => status === 201) ?? [];
      const {token} = JSON.parse(created ?? '');
      const body = JSON.stringify({token, name: 'web-1'});
      await send('/api/connectors/activate', {method: 'POST', body});
      await send('/_sandbox/advance', {method: 'POST', body: '{"seconds":600}'});
      await send('/api/connectors');
      await service.stop();
      return received;
    };
    const first = await journey();
    expect(first.filter(([status]) => status === 503).length).to.be.within(8, 30);
    expect(await journey()).to.deep.equal(first);
  });

  for (const [what, words, message] of [
    ['--store', '--store x', /A sandbox has its own store/],
    ['all addresses', '--host 0.0.0.0', /cannot listen on 0\.0\.0\.0/],
    [
      'a control token that can be guessed',
      '--control-token-file SHORT',
      /16 visible ASCII characters or more/,
    ],
    ['--trust-proxy', '--trust-proxy loopback', /cannot be served through a proxy/],
    ['a rate that no client can follow', '--rate 61', /--heartbeat-interval to 61s or more/],
  ] as const) {
    it(`refuses to start with ${what}`, async () => {
      const argv = [
        'serve',
        '--sandbox',
        '--port',
        '0',
        ...words.replace('SHORT', tokens('short')).split(' '),
      ];
      const run = await runCli(argv, {home: at()});
      expect(run).to.include({code: 2, stdout: ''});
      expect(run.stderr)
        .to.match(message)
        .and.match(/^Error: /);
    });
  }

  it('accepts its flags only with --sandbox', async () => {
    for (const words of ['--seed 1', '--rate 1', '--clock frozen', '--fault x']) {
      const {code, stderr} = await runCli(['serve', ...words.split(' ')], {home: at()});
      expect(code).to.equal(2);
      expect(stderr).to.include('--sandbox');
    }
  });

  it('is reported as a sandbox by login, doctor and connector check', async () => {
    const service = await start(['--seed', '1']);
    writeFileSync(at('key'), keyOf(service), {mode: 0o600});
    const login = await run(service, ['login', '--api-key-file', at('key')]);
    expect([login.code, login.stdout]).to.deep.equal([0, '']);
    expect(login.stderr).to.include(sandboxNotice);
    for (const format of ['text', 'json', 'nagios']) {
      const check = await run(service, ['connector', 'check', '-o', format]);
      expect(check.stderr, format).to.equal(`${sandboxNotice}\n`);
    }
    const doctor = await run(service, ['doctor']);
    expect(doctor.code).to.equal(0);
    expect(doctor.stdout).to.match(/^clock +virtual, \d+d (ahead|behind)$/m);
  });
});
