import {existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import fs from 'node:fs/promises';
import {expect} from 'chai';
import {announceBootstrap} from '../../src/serve/bootstrap.js';
import {storeAdmin} from '../../src/server/admin/admin.js';
import {failure} from '../support/client.js';
import {runCli} from '../support/command/run-cli.js';
import {systemError} from '../support/json-file/watched-files.js';
import {certificate, privateKey} from '../support/network/certificates.js';
import {tcpService} from '../support/network/tcp-service.js';
import {runChild, startService} from '../support/process/child.js';
import {fakeIo} from '../support/process/io.js';
import {openTerminal} from '../support/process/terminal.js';
import {keepingLog} from '../support/server/logs.js';
import {MemoryStore} from '../support/store/memory-store.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {activationToken} from '../support/values/secrets.js';

describe('serve', () => {
  const at = temporaryDirectory();

  const start = (args: readonly string[] = [], env: Record<string, string> = {}, store = 'store') =>
    startService(at(store), args, {env});

  const keyOf = (store = 'store') => readFileSync(at(store, 'first-api-key'), 'utf8').trim();

  it('keeps the first API key out of a log, writes it to a file in the store, and names the file', async () => {
    const first = await start();
    expect(first.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    const file = at('store', 'first-api-key');
    await first.until(/Next: /);
    // The log is buffered, so this line may come later.
    await first.until(/the first API key was written to a file/);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(keyOf()).to.match(/^ck_[\w-]{49}$/);
    expect(first.stderr())
      .to.include(`export CONNECTORCTL_API_KEY_FILE=${file}\n`)
      .and.include(`export CONNECTORCTL_STORE=${at('store')}\n`)
      .and.include(`export CONNECTORCTL_BASE_URL=${first.url}\n`)
      .and.include(`"path":"${file}"`)
      .and.not.include('ck_');
    const env = {CONNECTORCTL_BASE_URL: first.url, CONNECTORCTL_API_KEY_FILE: file};
    expect((await runCli(['token', 'create'], {env})).code).to.equal(0);
    expect(await first.stop()).to.deep.equal({code: 0, signal: null});

    const second = await start();
    await second.until(/To create another/);
    expect(second.stderr())
      .to.include(`To create another: connectorctl key create --store ${at('store')}\n`)
      .and.not.match(/ck_|export/);
    expect(await second.stop('SIGINT')).to.deep.equal({code: 0, signal: null});
  });

  it('shows the first API key once on a terminal, with the exports for the next command', async () => {
    const terminal = openTerminal(['serve', '--port', '0', '--store', at('store')], {columns: 120});
    await terminal.until(/Next: /);
    const [, key = ''] = /CONNECTORCTL_API_KEY=(ck_[\w-]{49})\s/.exec(terminal.written()) ?? [];
    const [, url = ''] = /export CONNECTORCTL_BASE_URL=(\S+)/.exec(terminal.written()) ?? [];
    expect(readdirSync(at('store'))).not.to.include('first-api-key');
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key};
    expect((await runCli(['token', 'create'], {env})).code).to.equal(0);
    await terminal.until(/method=POST .*status=201/);
    terminal.type('\x03');
    expect((await terminal.ended).code).to.equal(0);
    const screen = terminal.screen().map((line) => line.replace(/^[\d:]{8} /, 'TIME '));
    const shown = screen.filter((line) => !line.startsWith('TIME '));
    expect(shown.slice(0, 10)).to.deep.equal([
      url,
      `Serving the store ${at('store')}. Ctrl-C stops it.`,
      'The store was empty: created organization "default" with an API key.',
      'It is shown only once. In another terminal:',
      '',
      `export CONNECTORCTL_BASE_URL=${url}`,
      `export CONNECTORCTL_API_KEY=${key}`,
      `export CONNECTORCTL_STORE=${at('store')}`,
      '',
      'Next: connectorctl token create',
    ]);
    const requests = screen.filter((line) => line.startsWith('TIME request'));
    expect(requests).to.have.length(1);
    expect(requests[0]).to.match(
      /^TIME request .*method=POST route=\/api\/connectors\/create-token status=201 milliseconds=[\d.]+/,
    );
    expect(screen.filter((line) => line.startsWith('TIME audit '))).to.have.length(2);
    expect(screen.slice(-2)).to.deep.equal([
      'Stopping. A second Ctrl-C does not wait for requests.',
      'Stopped.',
    ]);
    expect(terminal.written().split(key)).to.have.length(2);
  });

  it('does not replace a store whose file is lost beside the socket of a killed service', async () => {
    const service = await start();
    await service.until(/Next: /);
    await service.stop('SIGKILL');
    rmSync(at('store', 'store.jsonl'));
    rmSync(at('store', 'first-api-key'));
    const before = readdirSync(at('store'));
    const {code, stderr} = await runCli(['serve', '--port', '0', '--store', at('store')]);
    expect(code).to.equal(2);
    expect(stderr).to.include(
      `${at('store')} holds other files (${at('store', 'control.sock')}) but no store.jsonl. If it was a store, restore it from a backup`,
    );
    expect(readdirSync(at('store'))).to.deep.equal(before);
  });

  it('refuses a limit of open files with which its connections would end it, and makes no store', async () => {
    const under = ['sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh'];
    const argv = ['serve', '--port', '0', '--store', at('store')];
    const {code, stderr} = await runChild(argv, {under});
    expect({code, stderr}).to.deep.equal({
      code: 2,
      stderr:
        'Error: This process may open 64 files; the service needs at least 320.\n  Raise the limit with ulimit -n 1024, or LimitNOFILE= of the unit.\n',
    });
    expect(existsSync(at('store'))).to.equal(false);
  });

  it('writes its URL as JSON with --json', async () => {
    const {url: line} = await start(['--json', '--log-level', 'silent']);
    expect(Object.keys(JSON.parse(line))).to.deep.equal(['url']);
  });

  it('applies the token lifetime, heartbeat interval and failure limit', async () => {
    const words = ['--token-ttl', '2m', '--heartbeat-interval', '7s', '--log-level', 'silent'];
    const service = await start([...words, '--activation-failure-limit', '1']);
    await service.until(/Serving the store/);
    const settings = {
      CONNECTORCTL_BASE_URL: service.url,
      CONNECTORCTL_API_KEY: keyOf(),
    };
    const run = async (...argv: string[]) => {
      const {stdout} = await runCli([...argv, '--json', '--retries', '0'], {env: settings});
      return JSON.parse(stdout);
    };
    const activate = (secret: string) => {
      writeFileSync(at('token'), secret, {mode: 0o600});
      return run('connector', 'activate', '--name', 'a', '--token-file', at('token'));
    };
    const before = Date.now();
    const {token, expires_at: expires} = await run('token', 'create');
    expect(Date.parse(expires) - 120_000).to.be.within(before, Date.now());
    const {id} = await activate(token);
    expect((await run('connector', 'heartbeat', id)).next_heartbeat_seconds).to.equal(7);
    const guess = () => activate(activationToken());
    expect((await guess()).error).to.include({code: 'token_unknown', exit_code: 3});
    expect((await guess()).error).to.include({code: 'rate_limited', exit_code: 6});
  });

  it('logs only messages of the level set with --log-level or above', async () => {
    const [loud, silent] = await Promise.all([
      start(['--log-level', 'debug'], {}, 'loud'),
      start([], {CONNECTORCTL_LOG_LEVEL: 'silent'}, 'silent'),
    ]);
    await Promise.all([loud, silent].map(({url}) => fetch(`${url}/api/connectors`)));
    await loud.until(/"statusCode":401|"status":401/);
    await silent.until(/"key_created"/);
    const lines = silent
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{"level"'));
    // Audit records are written at every level.
    expect(lines.map((line) => JSON.parse(line).audit)).to.deep.equal(['key_created']);
  });

  it('serves HTTPS with --tls-cert and --tls-key', async () => {
    writeFileSync(at('cert.pem'), certificate);
    writeFileSync(at('key.pem'), privateKey, {mode: 0o600});
    const service = await start(['--tls-cert', at('cert.pem'), '--tls-key', at('key.pem')]);
    expect(service.url).to.match(/^https:/);
    await service.until(/Serving the store/);
    const env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: keyOf()};
    const list = ['connector', 'list', '--json', '--retries', '0'];
    const [trusted, untrusted] = await Promise.all([
      runChild(list, {env: {...env, NODE_EXTRA_CA_CERTS: at('cert.pem')}}),
      runChild(list, {env}),
    ]);
    expect(trusted).to.deep.equal({code: 0, stdout: '[]\n', stderr: ''});
    expect(untrusted.code).to.equal(6);
    expect(JSON.parse(untrusted.stdout).error.hint).to.include('NODE_EXTRA_CA_CERTS');
  });

  it('listens on other addresses over plain HTTP with --insecure-http', async () => {
    const service = await start(['--host', '0.0.0.0', '--insecure-http', '--log-level', 'silent']);
    expect(service.url).to.match(/^http:\/\/0\.0\.0\.0:\d+$/);
  });

  describe('explains why it cannot start and what to do', () => {
    const refuse = async (...args: readonly string[]) => {
      const env = {CONNECTORCTL_LOG_LEVEL: 'silent', CONNECTORCTL_STORE: at('human')};
      const [human, machine] = await Promise.all([
        runCli(['serve', ...args], {env}),
        runCli(['serve', ...args, '--json'], {env: {...env, CONNECTORCTL_STORE: at('machine')}}),
      ]);
      expect(human.stdout).to.equal('');
      const {error} = JSON.parse(machine.stdout);
      expect(machine.code).to.equal(human.code);
      expect(error.exit_code).to.equal(human.code);
      expect(error.hint, 'a next step').to.be.a('string');
      expect(human.stderr).to.include(`Error: ${error.message}\n  ${error.hint}\n`);
      return error;
    };

    const mistakes = [
      [['--port', '70000'], '--port "70000" is not valid.'],
      [['--token-ttl', '5s'], 'A token lifetime of 5 s is out of range: 60 s to 86400 s.'],
      [['--activation-failure-limit', '0'], '--activation-failure-limit "0" is not valid.'],
      [['--tls-cert', '/none'], 'All of the following must be provided when using --tls-cert'],
      [['--tls-cert', '/dev/null', '--tls-key', '/dev/null'], 'cannot be used'],
      [['--host', '0.0.0.0'], 'Refusing to serve 0.0.0.0 without TLS'],
      [['--store', '/dev/null/store'], '/dev/null/store cannot be opened: ENOTDIR'],
    ] as const;
    for (const [args, said] of mistakes) {
      it(`with ${args.join(' ')}`, async () => {
        expect(await refuse(...args))
          .to.include({kind: 'usage'})
          .and.to.have.property('message')
          .that.includes(said);
      });
    }

    it('on a port that is in use', async () => {
      const {port} = await tcpService();
      const error = await refuse('--port', `${port}`);
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.include('EADDRINUSE');
      expect(error.hint).to.include('--port 0');
    });
  });
});

describe('the file of the first API key', () => {
  const at = temporaryDirectory();
  const {log} = keepingLog();

  it('is not left behind when it cannot be written whole, and replaces that of an interrupted start', async () => {
    const open: typeof fs.open = async (...words) => {
      const file = await fs.open(...words);
      file.sync = () => Promise.reject(systemError('ENOSPC'));
      return file;
    };
    const key = {organization: 'default', description: null, expiresAt: null};
    const created = await storeAdmin(new MemoryStore(), log).create(key);
    const places = {isShown: false, directory: at()};
    const save = (disk: typeof fs) =>
      announceBootstrap(places, undefined, log, fakeIo(), disk).saveFirstKey?.(created);
    const error = await failure(async () => save({...fs, open}));
    expect(error.message).to.include('ENOSPC');
    expect(readdirSync(at())).to.deep.equal([]);
    writeFileSync(at('first-api-key'), 'old');
    await save(fs);
    expect(readFileSync(at('first-api-key'), 'utf8')).to.equal(`${created.secret}\n`);
    expect(statSync(at('first-api-key')).mode & 0o777).to.equal(0o600);
  });
});
