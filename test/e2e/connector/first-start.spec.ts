import {chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {savedCredentials} from '../../support/command/credentials.js';
import {closedPort} from '../../support/network/ports.js';
import {makeTestDatabase} from '../../support/postgres/database.js';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {liveChild, runUntil} from '../../support/process/live-child.js';
import {unprivileged} from '../../support/process/unprivileged.js';
import {eachWithSandbox} from '../../support/server/sandbox.js';
import {tokenService} from '../../support/services/token.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {bytes, inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

describe('the first start of connector run', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  const pending = () => `${file()}.pending`;
  const token = () => at('token');
  const words = () => [
    ...['connector', 'run', '--credentials-file', file(), '--token-file', token()],
    ...['--name', 'web-1', '--every', '1s'],
  ];
  const saved = () => JSON.parse(readFileSync(file(), 'utf8'));
  const activated = {id: 'con_1', name: 'web-1', api_key: 'k1'};

  /** Accepts one activation, and heartbeats. */
  const working: Respond = (request, response, index) => {
    const body = request.path.endsWith('/heartbeat') ? {id: 'con_1', status: 'online'} : activated;
    json(body)(request, response, index);
  };

  describe('with a sandbox', () => {
    const holder = eachWithSandbox();
    let env: Record<string, string>;
    beforeEach(async () => {
      const {call, url} = holder.sandbox;
      const {token: usable} = JSON.parse(await (await call('createToken')).text());
      writeFileSync(token(), usable);
      env = {CONNECTORCTL_BASE_URL: url};
    });
    const activations = () =>
      holder.sandbox.requests().filter(({route}) => route.endsWith('/activate')).length;

    it('is the only one that activates, and the only one that needs the token', async () => {
      const first = await runUntil(/online/, words(), {env});
      expect(first.code, first.stderr).to.equal(0);
      expect(first.stderr).to.match(/^Activated con_\w+\.\n/);
      rmSync(token());
      const later = await runUntil(/online/, words(), {env: {}});
      expect(later).to.deep.include({code: 0, stderr: ''});
      const command = ['--', 'sh', '-c', 'echo $CONNECTORCTL_CONNECTOR_ID'];
      const wrapped = await runChild([...words(), ...command]);
      expect(wrapped).to.deep.equal({
        code: 0,
        stdout: `${saved().connector_id}\n`,
        stderr: '',
      });
      expect(activations()).to.equal(1);
    });
  });

  describe('without a service', () => {
    const url = async () => `http://127.0.0.1:${await closedPort()}`;
    beforeEach(() => writeFileSync(token(), 't0ken'));

    it('starts no command, says once that it waits, and begins when the service is there', async () => {
      const port = await closedPort();
      const env = {CONNECTORCTL_BASE_URL: `http://127.0.0.1:${port}`};
      const child = liveChild([...words(), '--', 'sh', '-c', 'echo up; exec sleep 60'], {env});
      await child.until(/failing: .*nothing listens/);
      await delay(1500);
      expect(child.stdout()).to.equal('');
      const beats: string[] = [];
      const server = createServer((request, response) => {
        if (request.url?.endsWith('/heartbeat')) beats.push(request.url);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(activated));
      }).listen(port, '127.0.0.1');
      try {
        await child.until(/^up$/m);
        while (beats.length === 0) await delay(20);
        child.signal('SIGTERM');
        expect(await child.ended()).to.deep.equal({code: null, signal: 'SIGTERM'});
        expect(child.stderr().match(/failing: /g)).to.have.length(1);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    for (const [what, command, end] of [
      ['alone with 0', [], {code: 0, signal: null}],
      ['as its command would', ['--', 'touch', 'started'], {code: null, signal: 'SIGTERM'}],
    ] as const) {
      it(`ends on SIGTERM ${what}, and leaves nothing`, async () => {
        const env = {CONNECTORCTL_BASE_URL: await url()};
        const child = liveChild([...words(), ...command], {env});
        await child.until(/failing: /);
        child.signal('SIGTERM');
        expect(await child.ended()).to.deep.equal(end);
        expect(readdirSync(at())).to.deep.equal(['token']);
      });
    }
  });

  const html = bytes('<!doctype html><title>Portal</title>', {'content-type': 'text/html'});
  for (const [what, respond, code, before] of [
    ['404', json({}, 404), 4, 125],
    ['an HTML page', html, 8, 124],
    ['401', json({}, 401), 3, 125],
    ['a used token', json({code: 'token_used'}, 409), 5, 125],
  ] as const) {
    it(`does not wait after ${what}: it exits with ${code}, or with ${before} before a command`, async () => {
      writeFileSync(token(), 't0ken');
      for (const [command, exit] of [
        [[], code],
        [['--', 'touch', at('started')], before],
      ] as const) {
        const {url} = await thirdPartyService(respond);
        const env = {CONNECTORCTL_BASE_URL: url};
        expect((await runChild([...words(), ...command], {env})).code).to.equal(exit);
        rmSync(pending(), {force: true});
      }
      expect(existsSync(at('started'))).to.equal(false);
    });
  }

  it('waits through 429 and 503, and after a response that broke off repeats the same request', async () => {
    writeFileSync(token(), 't0ken');
    const cut: Respond = (_, response) => {
      response.writeHead(200, {'content-length': '100'});
      response.write('{"id": "con_1"', () => response.destroy());
    };
    const {url, seen} = await thirdPartyService(
      inTurn(json({}, 429, {'retry-after': '1'}), json({}, 503), cut, working),
    );
    const run = await runUntil(/online/, words(), {env: {CONNECTORCTL_BASE_URL: url}});
    expect(run.code).to.equal(0);
    const keys = seen.slice(0, 4).map(({headers}) => headers['idempotency-key']);
    expect(keys[3]).to.equal(keys[2]);
    expect(run.stderr.match(/failing: /g)).to.have.length(1);
    expect(saved()).to.include({connector_id: 'con_1'});
  });

  it('ends in an error after a lost response of a service that repeats none, and makes no second connector', async () => {
    const service = await tokenService({loses: () => true});
    const create = async () => {
      const response = await fetch(`${service.url}/api/connectors/create-token`, {method: 'POST'});
      writeFileSync(token(), ((await response.json()) as {token: string}).token);
    };
    await create();
    const env = {CONNECTORCTL_BASE_URL: service.url};
    expect((await runChild(words(), {env})).code).to.equal(5);
    await create();
    for (const [command, code] of [
      [[], 5],
      [['--', 'true'], 125],
    ] as const) {
      const run = await runChild([...words(), ...command], {env});
      expect(run.code).to.equal(code);
      expect(run.stderr).to.include(`remove ${pending()}`);
    }
    expect(service.connectors.size).to.equal(1);
  });

  for (const kind of ['JSON file', 'PostgreSQL'] as const) {
    describe(`with a ${kind} store`, () => {
      let service: Service;
      let key: string;
      beforeEach(async () => {
        const store = kind === 'PostgreSQL' ? (await makeTestDatabase()).url : at('store');
        service = await startService(store);
        key = (await runChild(['key', 'create', '--store', store])).stdout.trim();
      });

      it('leads to one connector when it is killed at any moment and started again', async () => {
        const env = {CONNECTORCTL_BASE_URL: service.url};
        const own = {...env, CONNECTORCTL_API_KEY: key};
        for (const moment of killMoments) {
          const {stdout} = await runChild(['token', 'create'], {env: own});
          writeFileSync(token(), stdout);
          const first = liveChild(words(), {env});
          await Promise.race([delay(moment), first.ended()]);
          first.signal('SIGKILL');
          await first.ended();
          if (existsSync(pending()) || existsSync(file())) rmSync(token());
          const {code, stderr} = await runUntil(/online/, words(), {env});
          expect(code, `${moment} ms: ${stderr}`).to.equal(0);
          const list = await runChild(['connector', 'list', '--json'], {env: own});
          const ids = JSON.parse(list.stdout).map(({id}: {id: string}) => id);
          expect(ids).to.include(saved().connector_id);
          expect(ids.length, `${moment} ms`).to.equal(killMoments.indexOf(moment) + 1);
          rmSync(file());
        }
      });
    });
  }
});

/** Milliseconds after the start of a process, around those in which it activates. */
const killMoments = [120, 180, 240, 300];

describe('a running connector run', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');

  /** Accepts the heartbeats with one key, which a test changes. */
  const keyed = async (key: string) => {
    const accepted = {key};
    const service = await thirdPartyService((request, response, index) => {
      const isAccepted = request.headers.authorization === `Bearer ${accepted.key}`;
      json(isAccepted ? {id: 'con_1', status: 'online'} : {}, isAccepted ? 200 : 401)(
        request,
        response,
        index,
      );
    });
    return {...service, accepted};
  };
  const write = (url: string, key: string) =>
    writeFileSync(file(), JSON.stringify(savedCredentials({base_url: url, api_key: key})));
  const words = () => ['connector', 'run', '--credentials-file', file(), '--every', '1s'];

  it('continues beside its command with the key that its file has got meanwhile', async () => {
    const {url, seen, requested, accepted} = await keyed('old');
    write(url, 'old');
    const child = liveChild([...words(), '--', 'sleep', '60']);
    await requested();
    write(url, 'new');
    accepted.key = 'new';
    await child.until(/The credentials file has another key; continuing as con_1\./);
    while (seen.at(-1)?.headers.authorization !== 'Bearer new') await delay(20);
    child.signal('SIGTERM');
    await child.ended();
    expect(child.stderr()).not.to.include('refused');
  });

  it('works with a complete file in a directory that it cannot write', async () => {
    const {url} = await keyed('k1');
    write(url, 'k1');
    chmodSync(at(), 0o500);
    try {
      const run = await runUntil(/online/, words(), {under: unprivileged});
      expect(run).to.deep.include({code: 0, stderr: ''});
    } finally {
      chmodSync(at(), 0o700);
    }
  });
});
