import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {constants} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {type CommandId, lifetimeOf} from '../../src/cli/process/lifetime.js';
import {storeAdmin} from '../../src/server/admin/admin.js';
import {serveControl} from '../../src/server/control/socket.js';
import {UnknownConnectors} from '../../src/server/observability/unknown-connectors.js';
import {openStore} from '../../src/store/open.js';
import {
  firstKeyFile,
  inherited,
  nodeWarning,
  program,
  runChild,
  startService,
} from '../support/process/child.js';
import {fullPipe} from '../support/process/full-pipe.js';
import {json, type RunningSandbox, startSandbox} from '../support/server/sandbox.js';
import {root} from '../support/sources.js';
import {RecordedLog} from '../support/store/recorded-log.js';
import {suiteDirectory} from '../support/temporary-directory.js';
import {thirdPartyService} from '../support/third-party.js';

/** What the command lines below refer to. */
interface Values {
  /** A directory of this run, with a copy of the store, the settings and the files. */
  readonly at: (name: string) => string;
  readonly id: string;
  /** An activation token that no other run gets. */
  readonly token: () => Promise<string>;
}

type Line = (values: Values) => readonly string[] | Promise<readonly string[]>;

/** A command line of each command that does its work and succeeds, and what flags of `lifetimes` it has. */
const lines: Readonly<Record<CommandId, Line>> = {
  __complete: () => ['__complete', '--', 'connector', ''],
  completion: () => ['completion', 'bash'],
  conformance: () => ['conformance', '--list'],
  'connector:activate': async ({at, token}) => {
    writeFileSync(at('token'), await token());
    return ['connector', 'activate', '--name', 'web-9', '--token-file', at('token')];
  },
  'connector:check': () => ['connector', 'check', '--min-online', '0', '--max-offline', '9'],
  'connector:enroll': ({at}) => [
    'connector',
    'enroll',
    at('list.csv'),
    '--credentials-dir',
    at('o'),
  ],
  'connector:get': ({id}) => ['connector', 'get', id],
  'connector:heartbeat': ({id}) => ['connector', 'heartbeat', id],
  'connector:list': () => ['connector', 'list'],
  'connector:monitor': () => ['connector', 'monitor', '--for', '0s', '--initial', '--every', '1s'],
  'connector:run': ({id}) => ['connector', 'run', id, '--every', '1s'],
  doctor: () => ['doctor'],
  'key:create': ({at}) => ['key', 'create', '--store', at('store')],
  'key:list': ({at}) => ['key', 'list', '--store', at('store')],
  'key:revoke': ({at}) => ['key', 'revoke', keyId, '--store', at('store')],
  login: ({at}) => ['login', '--api-key-file', at('key')],
  logout: () => ['logout'],
  'profile:list': () => ['profile', 'list'],
  'profile:remove': () => ['profile', 'remove', 'own'],
  'profile:set': () => ['profile', 'set', 'other', '--base-url', 'http://127.0.0.1:9'],
  'profile:use': () => ['profile', 'use', 'own'],
  'sandbox:advance': () => ['sandbox', 'advance', '1s'],
  'sandbox:fault:add': () => ['sandbox', 'fault', 'add', 'get:503@1%'],
  'sandbox:fault:clear': () => ['sandbox', 'fault', 'clear'],
  'sandbox:fleet': () => ['sandbox', 'fleet', '1'],
  'sandbox:status': () => ['sandbox', 'status'],
  serve: ({at}) => ['serve', '--port', '0', '--store', at('store')],
  'store:check': ({at}) => ['store', 'check', at('store')],
  'store:copy': ({at}) => ['store', 'copy', at('store'), at('copy')],
  'store:reissue': ({at}) => ['store', 'reissue', storedId, '--store', at('store')],
  'store:remove': ({at}) => ['store', 'remove', storedId, '--yes', '--store', at('store')],
  'store:unknown': () => ['store', 'unknown', '--store', servedStore],
  'token:create': () => ['token', 'create'],
  whoami: () => ['whoami'],
};

let keyId = '';
let storedId = '';
/** A store that a service uses, which has refused a connector. */
let servedStore = '';

describe('the lifetime of each command', function () {
  this.timeout(120_000);
  const at = suiteDirectory(async () => {
    await release();
    await sandbox.close();
  });
  let sandbox: RunningSandbox;
  let id: string;

  before(async () => {
    sandbox = await startSandbox({seed: 1});
    id = (await json(activate('web-1'))).id;
    mkdirSync(at('template'));
    writeFileSync(at('template/list.csv'), 'name\nweb-7\n');
    writeFileSync(at('template/key'), sandbox.key, {mode: 0o600});
    const home = at('template');
    const env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY: sandbox.key};
    await runChild(['profile', 'set', 'own', '--base-url', sandbox.url], {home, env});
    await stored(home);
    servedStore = at('served');
    const log = new RecordedLog();
    const unknown = new UnknownConnectors();
    unknown.record(storedId, Date.now(), '192.0.2.7');
    const held = await openStore(servedStore, {log, now: Date.now});
    const control = await serveControl(servedStore, storeAdmin(held, log, {unknown}), log);
    release = async () => {
      await control?.close();
      await held.close();
    };
  });
  let release = async () => {};

  async function token(): Promise<string> {
    return (await json(sandbox.call('createToken'))).token;
  }

  async function activate(name: string) {
    return sandbox.call('activate', {body: {token: await token(), name}});
  }

  /** A store with a key and a connector. */
  async function stored(home: string): Promise<void> {
    const service = await startService(`${home}/store`, [], {home});
    const keys = await runChild(['key', 'list', '--json', '--store', `${home}/store`], {home});
    keyId = JSON.parse(keys.stdout)[0].id;
    const env = {
      CONNECTORCTL_BASE_URL: service.url,
      CONNECTORCTL_API_KEY_FILE: await firstKeyFile(service),
    };
    writeFileSync(`${home}/token`, (await runChild(['token', 'create'], {home, env})).stdout);
    const activate = ['connector', 'activate', '--name', 'w', '--token-file', `${home}/token`];
    storedId = JSON.parse((await runChild([...activate, '--json'], {home, env})).stdout).id;
    await service.stop();
  }

  let runs = 0;
  /** Starts a command. @param stdout its file descriptor */
  async function start(
    command: CommandId,
    {
      redirect = '',
      stdout = 'pipe',
      url = sandbox.url,
      env = {},
    }: {redirect?: string; stdout?: number | 'pipe'; url?: string; env?: NodeJS.ProcessEnv} = {},
  ) {
    runs += 1;
    const home = at(`run-${runs}`);
    cpSync(at('template'), home, {recursive: true});
    const own = (name: string) => `${home}/${name}`;
    const argv = await lines[command]({at: own, id, token});
    const service = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: sandbox.key};
    const child = spawn('sh', ['-c', `exec "$@" ${redirect}`, 'sh', ...program, ...argv], {
      env: {...inherited, HOME: home, ...service, ...env},
      stdio: ['ignore', stdout, 'pipe'],
    });
    return {child, own};
  }

  /**
   * Runs a command with its stdout as a shell redirects it.
   *
   * @param signal sent once the command works
   * @param leaves closes the pipe of stdout at once
   */
  async function run(
    command: CommandId,
    redirect: string,
    signal?: NodeJS.Signals,
    leaves = false,
  ) {
    const {child, own} = await start(command, {redirect});
    if (leaves) child.stdout!.destroy();
    const [stdout, stderr] = [leaves ? '' : text(child.stdout!), text(child.stderr!)];
    const ended = once(child, 'close');
    if (signal !== undefined) {
      // The work is visible at the service, or in the store.
      const before = sandbox.requests().length;
      const works = () =>
        command === 'serve'
          ? readdirSync(own('store')).includes('control.sock')
          : sandbox.requests().length > before + 1;
      while (child.exitCode === null && !works()) await sleep(50);
      child.kill(signal);
    }
    const [code, killedBy] = await ended;
    const shown = code ?? 128 + constants.signals[killedBy as NodeJS.Signals];
    return {code: shown, stdout: await stdout, stderr: await stderr};
  }

  for (const command of Object.keys(lines) as CommandId[]) {
    const row = lifetimeOf(command);
    const isEndless = row.signal === 'drain';
    const stop = isEndless ? 'SIGTERM' : undefined;

    // What would be lost is not even made; environment.spec.ts has an output that is lost later.
    const refusal = 'lost' in row ? `${row.lost.what} would be lost: stdout ` : undefined;

    it(`is that of its row on a full disk: ${command}`, async () => {
      const usual = await run(command, '', stop);
      expect(usual.code, usual.stderr).to.equal(0);
      expect(usual.stderr).not.to.match(nodeWarning);
      const full = await run(command, '> /dev/full', stop);
      const goesOn = row.stdout === 'stream' && isEndless && refusal === undefined;
      const isSame = usual.stdout === '' || goesOn;
      expect(full.code, full.stderr).to.equal(isSame ? 0 : 2);
      if (refusal !== undefined) {
        expect(full.stderr).to.include(`${refusal}cannot be written: no space left on device`);
        expect(full.stderr).to.include('Free some space there').and.not.include('stdout open');
      }
      if (refusal === undefined && usual.stdout !== '') {
        expect(full.stderr).to.include('Cannot write the output: no space left on device (ENOSPC)');
      }
    });

    it(`is that of its row without stdout: ${command}`, async () => {
      const closed = await run(command, '>&-', stop);
      expect(closed.code, closed.stderr).to.equal(refusal === undefined ? 0 : 2);
      if (refusal !== undefined) {
        expect(closed.stderr).to.include(`${refusal}is closed or discarded`);
      }
    });

    it(`is that of its row without a reader: ${command}`, async () => {
      const left = await run(command, '', stop, true);
      expect(left.code, left.stderr).to.equal(refusal === undefined ? 0 : 2);
      if (refusal !== undefined) expect(left.stderr).to.include(`${refusal}cannot be written: `);
      else expect(left.stderr).not.to.include('Error: Cannot write the output');
    });
  }

  for (const line of ['', 'help', 'help serve', 'serve --help', 'connector', '--version', '-v']) {
    it(`is that of a result on a full disk: connectorctl ${line}`, async () => {
      const under = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
      const full = await runChild(line.split(' ').filter(Boolean), {under});
      expect(full).to.deep.include({code: 2, stdout: ''});
      expect(full.stderr).to.include('Cannot write the output: no space left on device (ENOSPC)');
    });
  }

  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  type Signal = (typeof signals)[number];

  for (const signal of signals) {
    for (const command of ['connector:run', 'connector:monitor', 'serve'] as const) {
      it(`is that of its row at ${signal}: ${command}`, async () => {
        const {code} = await run(command, '', signal);
        const isEnd = signal === 'SIGHUP' && command !== 'serve';
        expect(code).to.equal(isEnd ? 129 : 0);
      });
    }
  }

  const killedBy = (signal: Signal) => 128 + constants.signals[signal];

  /** What a command's exit code is after a signal that it handles. */
  function codeAt(command: CommandId, signal: Signal): number {
    const isEnd = lifetimeOf(command).signal === 'drain' && signal !== 'SIGHUP';
    return isEnd || (command === 'serve' && signal === 'SIGHUP') ? 0 : killedBy(signal);
  }

  /** Sends each signal to a run of its own at a moment, and returns the exit codes and stderr. */
  async function atMoment(
    command: CommandId,
    options: () => Parameters<typeof start>[1],
    moment: (child: ChildProcess) => Promise<unknown>,
  ) {
    return Promise.all(
      signals.map(async (signal) => {
        const {child} = await start(command, options());
        const stderr = text(child.stderr!);
        const ended = once(child, 'exit');
        await moment(child);
        child.kill(signal);
        const [code, name] = await ended;
        return {signal, code: code ?? killedBy(name as Signal), stderr: await stderr};
      }),
    );
  }

  /** Resolves once a process is idle: it has used no processor time in several looks, or has ended. */
  async function idle({pid, exitCode}: ChildProcess): Promise<void> {
    const used = () => {
      if (exitCode !== null || !existsSync(`/proc/${pid}/stat`)) return 'ended';
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields.slice(11, 13).join();
    };
    for (let [same, before] = [0, '']; same < 8; await sleep(50)) {
      const now = used();
      same = now === before ? same + 1 : 0;
      before = now;
    }
  }

  const atStart = join(root, 'test/support/preload/signal-at-start.cjs');

  for (const command of Object.keys(lines) as CommandId[]) {
    it(`is that of its row at each signal while it starts: ${command}`, async () => {
      for (const signal of signals) {
        const env = {NODE_OPTIONS: `--require="${atStart}"`, TEST_SIGNAL: signal};
        const {child} = await start(command, {env});
        const output = Promise.all([text(child.stdout!), text(child.stderr!)]);
        const ended = await once(child, 'close');
        const isEnd = lifetimeOf(command).signal === 'drain' && signal !== 'SIGHUP';
        expect(ended).to.deep.equal(isEnd ? [0, null] : [null, signal]);
        expect(await output).to.deep.equal(['', '']);
      }
    });

    it(`is that of its row at each signal while nobody ever reads: ${command}`, async () => {
      const pipe = fullPipe(at(`pipe-${command}`));
      const usual = await run(
        command,
        '',
        lifetimeOf(command).signal === 'drain' ? 'SIGTERM' : undefined,
      );
      // A command that writes nothing ends by itself.
      const isSilent = usual.stdout === '' && lifetimeOf(command).signal === 'report';
      for (const {signal, code, stderr} of await atMoment(
        command,
        () => ({stdout: pipe}),
        isSilent ? (child) => once(child, 'exit') : idle,
      )) {
        expect(code, stderr).to.equal(isSilent ? 0 : codeAt(command, signal));
      }
    });
  }

  /** The commands that call the service. */
  const callers = (Object.keys(lines) as CommandId[]).filter((command) =>
    /^(connector:(?!run|monitor)|sandbox|token|whoami|login|doctor)/.test(command),
  );
  for (const command of callers) {
    it(`is that of its row at each signal while its service says nothing: ${command}`, async () => {
      const service = await thirdPartyService(() => undefined);
      const moment = async (child: ChildProcess) => {
        const count = service.seen.length;
        while (child.exitCode === null && service.seen.length < count + 1) await sleep(20);
      };
      for (const {signal, code, stderr} of await atMoment(
        command,
        () => ({url: service.url}),
        moment,
      )) {
        expect(code, stderr).to.equal(codeAt(command, signal));
      }
    });
  }
});
