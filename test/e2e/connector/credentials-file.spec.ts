import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {runChild, startChild} from '../../support/process/child.js';
import {killLiveChildren, liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  json,
  type Seen,
  thirdPartyService,
} from '../../support/third-party.js';
import {activationToken, connectorKey} from '../../support/values/secrets.js';

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

  it('activates one connector, although the service knows no idempotency keys', async () => {
    const used = new Set<string>();
    const {url, seen} = await thirdPartyService(async (request, response, index) => {
      const respond = (body: object, status: number) =>
        json(body, status)(request, response, index);
      if (request.path.endsWith('/heartbeat')) return respond({id: 'con_1', status: 'online'}, 200);
      if (used.has(tokenOf(request))) return respond({message: 'the token is used'}, 409);
      used.add(tokenOf(request));
      await delay(500);
      respond({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201);
    });
    writeFileSync(at('token'), activationToken(), {mode: 0o600});
    const options = {env: {CONNECTORCTL_BASE_URL: url}};
    const words = ['--name', 'web-1', '--credentials-file', file(), '--token-file', at('token')];
    const starts = [1, 2].map(() =>
      liveChild(['connector', 'run', '--every', '1s', ...words], options),
    );
    const activate = ['connector', 'activate', ...words];
    const runs = await Promise.all([1, 2, 3].map(() => runChild(activate, options)));
    for (const {code, stderr} of runs) expect(code, stderr).to.equal(0);
    for (const start of starts) await start.until(/online/);
    expect(seen.filter(({path}) => path.endsWith('/activate'))).to.have.length(1);
    for (const start of starts) start.signal('SIGTERM');
    for (const start of starts) await start.ended();
    expect(readdirSync(at()).sort()).to.deep.equal(['token', 'web-1.json']);
  });
});

describe('an activation without a credentials file', () => {
  const at = temporaryDirectory();
  const activate = ['connector', 'activate', '--name', 'web-1', '--retries', '0'];
  afterEach(closeThirdPartyServices);

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
});

describe('an activation that is interrupted while it waits for the response', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  const activate = ['connector', 'activate', '--name', 'web-1'];

  afterEach(closeThirdPartyServices);

  /** Starts an activation, and sends it a signal once the service has its request. */
  const interrupt = async (words: readonly string[], signal: NodeJS.Signals) => {
    let arrived: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const service = await thirdPartyService((request, response, index) => {
      if (index === 0) arrived();
      else json({id: 'con_1', api_key: connectorKey()}, 201)(request, response, index);
    });
    const env = {
      CONNECTORCTL_BASE_URL: service.url,
      CONNECTORCTL_ACTIVATION_TOKEN: activationToken(),
    };
    const command = startChild([...activate, ...words], {env});
    await asked;
    command.process.kill(signal);
    return {run: await command.ended, env, seen: service.seen};
  };

  it('completes when the same command runs again with --credentials-file', async () => {
    const into = ['--credentials-file', file()];
    const {run, env, seen} = await interrupt(into, 'SIGINT');
    expect(run).to.deep.include({code: 130, stdout: ''});
    expect(run.stderr).to.include('To finish, run the same command again');
    expect((await runChild([...activate, ...into], {env})).code).to.equal(0);
    expect(JSON.parse(readFileSync(file(), 'utf8')).api_key).to.equal(connectorKey());
    expect(new Set(seen.map(({headers}) => headers['idempotency-key'])).size).to.equal(1);
    expect(readdirSync(at())).to.deep.equal(['web-1.json']);
  });
});
