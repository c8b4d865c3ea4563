import {expect} from 'chai';
import {
  type ActivatedConnector,
  type ActivationToken,
  type Connector,
  fillPath,
  type Heartbeat,
  headers,
  type Problem,
  routes,
  serviceRoutes,
} from '../../../src/contract/index.js';
import {migrations} from '../../../src/store/postgres/schema.js';
import {balancers} from '../../support/balancer.js';
import {runChild, type Service, startService} from '../../support/child.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {type Answer, call} from './call.js';
import {Fleet} from './fleet.js';

/** A key of these tests, as `serve` shows the first one. */
const keyPattern = /CONNECTORCTL_API_KEY=(\S+)/;

const processes = 4;

describe('several serve processes on one PostgreSQL database', () => {
  let database: TestDatabase;
  let services: Service[];
  let key: string;

  before(async function () {
    this.timeout(60_000);
    database = await makeTestDatabase();
    const quiet = ['--log-level', 'warn'];
    services = await Promise.all(
      Array.from({length: processes}, () => startService(database.url, quiet)),
    );
    const keys = services.flatMap(({stderr}) => keyPattern.exec(stderr())?.[1] ?? []);
    expect(keys).to.have.length(1);
    key = keys[0]!;
  });

  after(async () => {
    const ends = await Promise.all(services.map((service) => service.stop()));
    await database.drop();
    expect(ends).to.deep.equal(ends.map(() => ({code: 0, signal: null})));
  });

  const urlOf = (index: number) => services[index % processes]!.url;
  const createToken = async (base = urlOf(0)): Promise<string> =>
    (await call<ActivationToken>(base, routes.createToken.path, {key, body: {}})).body.token;
  const activate = (base: string, token: string, name: string, idempotencyKey?: string) =>
    call<ActivatedConnector>(base, routes.activate.path, {
      key,
      body: {token, name},
      ...(idempotencyKey && {idempotencyKey}),
    });
  const list = async (base: string): Promise<Connector[]> =>
    (await call<Connector[]>(base, routes.list.path, {key})).body;
  /** Each process begins its request ids in its own way. */
  const processOf = (answer: Answer<unknown>) =>
    answer.headers.get(headers.requestId)?.replace(/-[^-]*$/, '');

  it('let one of two hundred activations with one token win', async () => {
    const token = await createToken();
    const answers = await Promise.all(
      Array.from({length: 200}, (_, index) => activate(urlOf(index), token, `racer-${index}`)),
    );
    const statuses = answers.map(({status}) => status).sort();
    expect(statuses).to.deep.equal([201, ...Array.from({length: 199}, () => 409)]);
    const racers = (await list(urlOf(1))).filter(({name}) => name.startsWith('racer-'));
    const winner = answers.find(({status}) => status === 201)!.body;
    expect(racers.map(({id}) => id)).to.deep.equal([winner.id]);
  });

  it('answer the same to an Idempotency-Key, whichever is asked', async () => {
    const token = await createToken();
    const answers = await Promise.all(
      Array.from({length: 40}, (_, index) => activate(urlOf(index), token, 'twin', 'once-only')),
    );
    expect(new Set(answers.map(processOf)).size).to.equal(processes);
    for (const {status, body} of answers) {
      expect(status).to.equal(201);
      expect(body).to.deep.equal(answers[0]!.body);
    }
    const {id, api_key: own} = answers[0]!.body;
    const beat = fillPath(routes.heartbeat.path, {id});
    expect((await call(urlOf(3), beat, {key: own, body: {}})).status).to.equal(200);
  });

  it("tell each other's heartbeats, and none goes backwards", async () => {
    const {body} = await activate(urlOf(0), await createToken(), 'drummer');
    const params = {id: body.id};
    const beat = (index: number) =>
      call<Heartbeat>(urlOf(index), fillPath(routes.heartbeat.path, params), {key, body: {}});
    const beats = await Promise.all(Array.from({length: 60}, (_, index) => beat(index)));
    const times = beats.map((answer) => answer.body.last_heartbeat_at).sort();
    for (const {url} of services) {
      const found = await call<Connector>(url, fillPath(routes.get.path, params), {key});
      expect(found.body.last_heartbeat_at).to.equal(times.at(-1));
    }
  });

  it('honour a revocation at once, all of them', async () => {
    const store = ['--store', database.url, '--json'];
    const {stdout} = await runChild(['key', 'create', '--org', 'default', ...store]);
    const {id, api_key: second} = JSON.parse(stdout);
    const ask = () =>
      Promise.all(services.map(({url}) => call<Problem>(url, routes.list.path, {key: second})));
    for (const {status} of await ask()) expect(status).to.equal(200);
    expect((await runChild(['key', 'revoke', id, '--store', database.url])).code).to.equal(0);
    for (const {status, body} of await ask()) {
      expect([status, body.code]).to.deep.equal([401, 'key_revoked']);
    }
  });

  for (const [name, makeBalancer] of balancers) {
    it(`are one service behind ${name}`, async () => {
      const balancer = await makeBalancer(services.map(({url}) => url));
      try {
        const seen = new Set<string | undefined>();
        const activated = await Promise.all(
          Array.from({length: 40}, async (_, index) => {
            const token = await createToken(balancer.url);
            const answer = await activate(balancer.url, token, `${name}-${index}`);
            seen.add(processOf(answer));
            return answer.body;
          }),
        );
        const ids = new Set((await list(balancer.url)).map(({id}) => id));
        expect(activated.filter(({id}) => !ids.has(id))).to.deep.equal([]);
        expect(seen.size).to.be.above(1);
      } finally {
        await balancer.close();
      }
    });
  }

  it('go on when one of them is killed, with all that it had acknowledged', async () => {
    const own = await makeTestDatabase();
    const [victim, other] = await Promise.all(
      [0, 1].map(() => startService(own.url, ['--log-level', 'warn'])),
    );
    try {
      const keys = [victim!, other!].map(({stderr}) => keyPattern.exec(stderr())?.[1]);
      const fleet = new Fleet(victim!.url, keys.find((found) => found !== undefined)!);
      fleet.start(16);
      await fleet.acknowledges(200);
      await victim!.stop('SIGKILL');
      await fleet.stop();
      expect(fleet.complaints).to.deep.equal([]);
      await fleet.verify(other!.url);
    } finally {
      await Promise.all([victim!, other!].map((service) => service.stop('SIGKILL')));
      await own.drop();
    }
  });

  it('say that they are ready, and in which version', async () => {
    for (const {url} of services) {
      expect((await call(url, serviceRoutes.ready.path, {key})).body).to.deep.equal({
        status: 'ok',
        store_version: migrations.length,
      });
    }
  });
});
