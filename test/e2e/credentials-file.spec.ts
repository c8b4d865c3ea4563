import {execFileSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {runChild, startChild} from '../support/child.js';
import {killLiveChildren, liveChild} from '../support/live-child.js';
import {activationToken, connectorKey} from '../support/secrets.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  json,
  type Seen,
  thirdPartyService,
} from '../support/third-party-service.js';
import {unprivileged} from '../support/unprivileged.js';

const tokenOf = ({body}: Seen) => JSON.parse(body).token as string;

/** A service that returns a different connector and key for each token, and delays responses until `release`. */
async function heldService() {
  const keys = new Map<string, string>();
  let arrive: () => void = () => undefined;
  let release: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const service = await thirdPartyService(async (request, response, index) => {
    const token = tokenOf(request);
    keys.set(token, keys.get(token) ?? connectorKey(keys.size + 1));
    arrive();
    await released;
    json({id: `con_${token.slice(-4)}`, api_key: keys.get(token)}, 201)(request, response, index);
  });
  return {...service, keys, arrived, release};
}

describe('two activations with one credentials file', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  const kept = () => JSON.parse(readFileSync(file(), 'utf8'));
  const into = (...more: string[]) => [
    ...['connector', 'activate', '--name', 'web-1', '--credentials-file', file()],
    ...more,
  ];
  const envFor = (url: string, token: string) => ({
    env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: token},
  });

  afterEach(closeThirdPartyServices);

  for (const more of [[], ['--force']]) {
    const mode = more.join(' ') || 'without --force';
    it(`refuse the second, name the process that owns the file, and send nothing (${mode})`, async () => {
      const {url, seen, arrived, release, keys} = await heldService();
      const first = startChild(into(...more, '--timeout', '60s'), envFor(url, activationToken(1)));
      await arrived;
      const second = await runChild(into(...more), envFor(url, activationToken(2)));
      expect(second).to.deep.equal({
        code: 6,
        stdout: '',
        stderr:
          `Process ${first.process.pid} is activating into ${file()}; waiting for it.\n` +
          `Error: Process ${first.process.pid} on ${hostname()} is activating web-1 into ${file()}; nothing was sent.\n` +
          '  Wait until it ends, or choose another file with --credentials-file PATH.\n',
      });
      release();
      expect((await first.ended).code).to.equal(0);
      expect(seen.map(tokenOf)).to.deep.equal([activationToken(1)]);
      expect(kept().api_key).to.equal(keys.get(activationToken(1)));
      expect(readdirSync(at())).to.deep.equal(['web-1.json']);
    });
  }

  it('wait for each other and both succeed with one request when they use one token', async () => {
    const {url, seen, arrived, release} = await heldService();
    const first = startChild(into(), envFor(url, activationToken()));
    await arrived;
    const second = startChild(into(), envFor(url, activationToken()));
    const waits = new Promise<void>((resolve) => {
      second.process.stderr?.on('data', (text) => /waiting for it/.test(text) && resolve());
    });
    await waits;
    release();
    expect((await first.ended).code).to.equal(0);
    const run = await second.ended;
    expect(run.code).to.equal(0);
    expect(run.stderr).to.include('Already activated');
    expect(seen).to.have.length(1);
  });

  it('let the second continue immediately after kill -9 of the first', async () => {
    const {url, arrived, release, keys} = await heldService();
    const first = startChild(into(), envFor(url, activationToken(1)));
    await arrived;
    first.process.kill('SIGKILL');
    await first.ended;
    expect(readdirSync(at()).some((name) => name.endsWith('.lock'))).to.equal(true);
    release();
    const second = await runChild(into(), envFor(url, activationToken(1)));
    expect(second.code, second.stderr).to.equal(0);
    expect(kept().api_key).to.equal(keys.get(activationToken(1)));
    expect(readdirSync(at())).to.deep.equal(['web-1.json']);
  });
});

describe('several processes that start with one credentials file at the same time', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  afterEach(async () => {
    await killLiveChildren();
    await closeThirdPartyServices();
  });

  /** By what a service does with a request for a token that it has seen. */
  const services: Readonly<Record<string, (isSame: boolean, isOver: boolean) => boolean>> = {
    'repeats its response to the same idempotency key': (isSame) => isSame,
    'answers a repetition with 409 while the first request is in progress': (isSame, isOver) =>
      isSame && isOver,
    'knows no idempotency keys': () => false,
  };

  /** Activates slowly. @param mayRepeat whether a request for a used token gets the same response */
  async function slowService(mayRepeat: (isSame: boolean, isOver: boolean) => boolean) {
    const used = new Map<string, {key: unknown; isOver: boolean}>();
    const service = await thirdPartyService(async (request, response, index) => {
      if (request.path.endsWith('/heartbeat')) {
        json({id: 'con_1', status: 'online'})(request, response, index);
        return;
      }
      const token = tokenOf(request);
      const key = request.headers['idempotency-key'];
      const earlier = used.get(token);
      if (earlier !== undefined && !mayRepeat(earlier.key === key, earlier.isOver)) {
        json({message: 'the token is used'}, 409)(request, response, index);
        return;
      }
      const use = earlier ?? {key, isOver: false};
      used.set(token, use);
      if (!use.isOver) await delay(1000);
      use.isOver = true;
      json({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201)(request, response, index);
    });
    return {...service, used};
  }

  for (const [what, mayRepeat] of Object.entries(services)) {
    it(`activates one connector at a service that ${what}`, async () => {
      const {url, seen, used} = await slowService(mayRepeat);
      writeFileSync(at('token'), activationToken(), {mode: 0o600});
      const options = {env: {CONNECTORCTL_BASE_URL: url}};
      const words = [...['--credentials-file', file(), '--token-file', at('token')]];
      const activate = ['connector', 'activate', '--name', 'web-1', ...words];
      const starts = [
        liveChild(['connector', 'run', '--name', 'web-1', '--every', '1s', ...words], options),
        liveChild(['connector', 'run', '--name', 'web-1', '--every', '1s', ...words], options),
      ];
      const runs = await Promise.all([1, 2, 3].map(() => runChild(activate, options)));
      for (const {code, stderr} of runs) expect(code, stderr).to.equal(0);
      for (const start of starts) await start.until(/online/);
      expect(used.size).to.equal(1);
      expect(seen.filter(({path}) => path.endsWith('/activate'))).to.have.length(1);
      for (const start of starts) start.signal('SIGTERM');
      for (const start of starts) await start.ended();
      expect(readdirSync(at()).sort()).to.deep.equal(['token', 'web-1.json']);
    });

    it(`creates no second connector after kill -9 of one of them at a service that ${what}`, async () => {
      const {url, seen, used} = await slowService(mayRepeat);
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken(1)};
      const activate = ['connector', 'activate', '--name', 'web-1', '--credentials-file', file()];
      const first = startChild(activate, {env});
      while (seen.length === 0) await delay(20);
      first.process.kill('SIGKILL');
      await first.ended;
      const other = {...env, CONNECTORCTL_ACTIVATION_TOKEN: activationToken(2)};
      const at409 = await runChild([...activate, '--retries', '0'], {env: other});
      expect(at409.code, at409.stderr).to.be.oneOf([0, 5]);
      await delay(1000);
      const {code, stderr} = await runChild(activate, {env: other});
      const isLost = what.startsWith('knows no');
      expect(code, stderr).to.equal(isLost ? 5 : 0);
      if (isLost) expect(stderr).to.include('is lost: ').and.include(`remove ${file()}.pending`);
      expect([...used.keys()]).to.deep.equal([activationToken(1)]);
      expect(readdirSync(at())).to.deep.equal([isLost ? 'web-1.json.pending' : 'web-1.json']);
    });
  }
});

describe('a credentials file that can never be replaced', () => {
  const at = temporaryDirectory();
  const undo: (() => void)[] = [];

  afterEach(async () => {
    for (const step of undo.splice(0)) step();
    await closeThirdPartyServices();
  });

  /** Each creates an obstacle at a path, or throws if this system or user does not allow it. */
  const obstacles: readonly (readonly [string, string, (path: string) => string])[] = [
    ['a device', 'is not a regular file', () => '/dev/null'],
    ['the standard output', 'is not a regular file', () => '/dev/stdout'],
    [
      'a named pipe',
      'it is a named pipe',
      (path) => {
        execFileSync('mkfifo', [path]);
        return path;
      },
    ],
    ['the name -', 'To print the credential on stdout', () => '-'],
    ['empty', 'names no file', () => ''],
  ];
  for (const [name, said, prepare] of obstacles) {
    it(`is refused before the token is sent when the path is ${name}`, async function () {
      const {url, seen} = await thirdPartyService(
        json({id: 'con_1', api_key: connectorKey()}, 201),
      );
      let path: string;
      try {
        path = prepare(at('web-1.json'));
      } catch {
        this.skip();
      }
      for (const more of [[], ['--force']]) {
        const run = await runChild(
          ['connector', 'activate', '--name', 'web-1', '--credentials-file', path, ...more],
          {
            env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()},
          },
        );
        expect(run).to.deep.include({code: 2, stdout: ''});
        expect(run.stderr).to.include(said);
      }
      expect(seen).to.deep.equal([]);
    });
  }
});

describe('a credentials file that turns out to be irreplaceable', () => {
  const at = temporaryDirectory();
  const undo: (() => void)[] = [];

  afterEach(async () => {
    for (const step of undo.splice(0)) step();
    await closeThirdPartyServices();
  });

  const makes: Readonly<Record<string, (path: string) => void>> = {
    'is immutable': (path) => {
      execFileSync('chattr', ['+i', path], {stdio: 'ignore'});
      undo.push(() => execFileSync('chattr', ['-i', path]));
    },
    'belongs to another user in a sticky directory': (path) => {
      chownSync(path, 12_345, 12_345);
      chownSync(at(), 12_346, 12_346);
      chmodSync(at(), 0o1777);
    },
  };
  for (const [what, make] of Object.entries(makes)) {
    it(`keeps the credentials in the pending file, and says so, when it ${what}`, async function () {
      const {url, seen} = await thirdPartyService(
        json({id: 'con_1', api_key: connectorKey()}, 201),
      );
      const path = at('web-1.json');
      writeFileSync(path, 'mine');
      try {
        make(path);
      } catch {
        this.skip();
      }
      const activate = () =>
        runChild(
          ['connector', 'activate', '--name', 'web-1', '--credentials-file', path, '--force'],
          {
            env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()},
            under: what.includes('sticky') ? unprivileged : [],
          },
        );
      const first = await activate();
      expect(first.code, first.stderr).to.equal(2);
      expect(first.stderr).to.include(`its credentials are in ${path}.pending`);
      expect(readFileSync(path, 'utf8')).to.equal('mine');
      expect(JSON.parse(readFileSync(`${path}.pending`, 'utf8')).api_key).to.equal(connectorKey());
      expect((await activate()).code).to.equal(2);
      expect(seen).to.have.length(1);
    });
  }
});

describe('an activation whose stdout is closed or discarded', () => {
  const at = temporaryDirectory();

  afterEach(closeThirdPartyServices);

  for (const redirection of ['>&-', '> /dev/null', '1< /dev/null']) {
    it(`sends no request with ${redirection}`, async () => {
      const {url, seen} = await thirdPartyService(
        json({id: 'con_1', api_key: connectorKey()}, 201),
      );
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
      const under = ['sh', '-c', `"$@" ${redirection}`, 'sh'];
      const activate = ['connector', 'activate', '--name', 'web-1'];
      const run = await runChild(activate, {env, under});
      expect(run.code).to.equal(2);
      expect(run.stderr)
        .to.include('stdout is closed or discarded')
        .and.include('--credentials-file PATH');
      expect(seen).to.deep.equal([]);
      await runChild([...activate, '--credentials-file', at('web-1.json')], {env, under});
      expect(readFileSync(at('web-1.json'), 'utf8')).to.include(connectorKey());
    });
  }
});

describe('an activation without a credentials file', () => {
  const at = temporaryDirectory();
  const activate = ['connector', 'activate', '--name', 'web-1', '--retries', '0'];
  const undo: (() => void)[] = [];

  afterEach(async () => {
    for (const step of undo.splice(0)) step();
    await closeThirdPartyServices();
  });

  /** A service whose first response is lost. */
  const losing = () =>
    thirdPartyService((request, response, index) => {
      if (index === 0) response.destroy();
      else json({id: 'con_1', api_key: connectorKey()}, 201)(request, response, index);
    });

  it('says after a lost response that the credential is lost, and leaves no file', async () => {
    const {url, seen} = await losing();
    const token = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
    const env = {CONNECTORCTL_BASE_URL: url, ...token};
    const {code, stderr} = await runChild(activate, {env});
    expect(code).to.equal(6);
    expect(stderr)
      .to.include('with: connectorctl connector list')
      .and.include('--credentials-file PATH');
    expect(readdirSync(at())).to.deep.equal([]);
    expect((await runChild(activate, {env})).code).to.equal(0);
    expect(new Set(seen.map(({headers}) => headers['idempotency-key'])).size).to.equal(2);
  });

  it('repeats a request with the same idempotency key within one run', async () => {
    const {url, seen} = await losing();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
    const {code, stdout} = await runChild(activate.slice(0, -2), {env});
    expect(code).to.equal(0);
    expect(stdout).to.include(connectorKey());
    expect(new Set(seen.map(({headers}) => headers['idempotency-key'])).size).to.equal(1);
  });

  it('succeeds when the home directory is not readable', async () => {
    const {url} = await thirdPartyService(json({id: 'con_1', api_key: connectorKey()}, 201));
    const home = at('home');
    mkdirSync(join(home, '.config', 'connectorctl'), {recursive: true});
    writeFileSync(join(home, '.config', 'connectorctl', 'settings.json'), '{}');
    chmodSync(home, 0o000);
    undo.push(() => chmodSync(home, 0o700));
    const env = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken(), CONNECTORCTL_NO_INPUT: '1'};
    const options = {env, home, under: unprivileged};
    const run = await runChild([...activate, '--base-url', url], options);
    expect(run.code, run.stderr).to.equal(0);
    expect(run.stdout).to.include(connectorKey());
    expect(run.stderr).to.include('permission denied').and.include('Continuing without profiles');
    expect((await runChild(activate, options)).code).to.equal(2);
  });
});
