import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {
  type ActivatedConnector,
  type ActivationToken,
  type Connector,
  type Problem,
  routes,
} from '../../../src/contract/index.js';
import {call} from '../../support/postgres/call.js';
import type {TestDatabase} from '../../support/postgres/database.js';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {RetryingClients} from './clients.js';
import {createKey} from './fixture.js';

const processes = 4;

/** What each organization may have: more than the other tests need. */
const bounds = {tokens: 200, connectors: 130} as const;

/** Repeats a call that a busy service defers. */
const insist: typeof call = async (...request) => {
  for (;;) {
    const response = await call<never>(...request);
    if (response.status !== 503) return response;
    await delay(50);
  }
};

/**
 * Tests of several processes that share one database.
 *
 * @param makeDatabase creates an empty database
 */
export function describeProcesses(name: string, makeDatabase: () => Promise<TestDatabase>): void {
  describe(`several serve processes on ${name}`, () => {
    let database: TestDatabase;
    let services: Service[];
    let key: string;

    before(async function () {
      this.timeout(180_000);
      database = await makeDatabase();
      services = await Promise.all(
        Array.from({length: processes}, () =>
          startService(database.url, [
            '--log-level',
            'warn',
            '--max-tokens',
            String(bounds.tokens),
            '--max-connectors',
            String(bounds.connectors),
          ]),
        ),
      );
      const created = await runChild(['key', 'create', '--store', database.url]);
      key = created.stdout.trim();
    });

    after(async () => {
      const ends = await Promise.all(services.map((service) => service.stop()));
      await database.drop();
      const stopped = ends.map(() => ({code: 0, signal: null}));
      expect(ends, services.map((service) => service.stderr()).join('\n')).to.deep.equal(stopped);
    });

    const urlOf = (index: number) => services[index % processes]!.url;
    const createToken = async (base = urlOf(0)): Promise<string> =>
      (await insist<ActivationToken>(base, routes.createToken.path, {key, body: {}})).body.token;
    const activate = (base: string, token: string, name: string, idempotencyKey?: string) =>
      insist<ActivatedConnector>(base, routes.activate.path, {
        key,
        body: {token, name},
        ...(idempotencyKey && {idempotencyKey}),
      });
    const list = async (base: string): Promise<Connector[]> =>
      (await insist<Connector[]>(base, routes.list.path, {key})).body;
    it('let exactly one of two hundred simultaneous activations with the same token succeed', async () => {
      const token = await createToken();
      const responses = await Promise.all(
        Array.from({length: 200}, (_, index) => activate(urlOf(index), token, `racer-${index}`)),
      );
      const statuses = responses.map(({status}) => status).sort();
      expect(statuses).to.deep.equal([201, ...Array.from({length: 199}, () => 409)]);
      const racers = (await list(urlOf(1))).filter(({name}) => name.startsWith('racer-'));
      const winner = responses.find(({status}) => status === 201)!.body;
      expect(racers.map(({id}) => id)).to.deep.equal([winner.id]);
    });

    it('all apply the revocation of an API key immediately', async () => {
      const store = ['--store', database.url, '--json'];
      const {stdout} = await runChild(['key', 'create', '--organization', 'default', ...store]);
      const {id, api_key: second} = JSON.parse(stdout);
      const ask = () =>
        Promise.all(services.map(({url}) => call<Problem>(url, routes.list.path, {key: second})));
      for (const {status} of await ask()) expect(status).to.equal(200);
      expect((await runChild(['key', 'revoke', id, '--store', database.url])).code).to.equal(0);
      for (const {status, body} of await ask()) {
        expect([status, body.code]).to.deep.equal([401, 'key_revoked']);
      }
    });

    it('keep all changes that a killed process has acknowledged', async () => {
      const own = await makeDatabase();
      const [victim, other] = await Promise.all(
        [0, 1].map(() => startService(own.url, ['--log-level', 'warn'])),
      );
      const clients = new RetryingClients(victim!.url, await createKey(own.url));
      clients.start(16);
      await clients.acknowledges(200);
      await victim!.stop('SIGKILL');
      await clients.stop();
      expect(clients.complaints).to.deep.equal([]);
      await clients.verify(other!.url);
    });

    it('exceed the bounds of an organization by at most a tenth when all of them create its records at once', async () => {
      const crowded = await createKey(database.url, 'crowded');
      /** The bodies of the responses with this status, of so many requests to all processes at once. */
      const flood = async <Body>(path: string, bodies: readonly object[], refusal: number) => {
        const responses = await Promise.all(
          bodies.map((body, index) => insist<Body>(urlOf(index), path, {key: crowded, body})),
        );
        const statuses = new Set(responses.map(({status}) => status));
        expect([...statuses].sort()).to.deep.equal([201, refusal]);
        return responses.filter(({status}) => status === 201).map(({body}) => body);
      };
      const empty = Array.from({length: 260}, () => ({}));
      const tokens = await flood<ActivationToken>(routes.createToken.path, empty, 429);
      expect(tokens.length).to.be.within(bounds.tokens, bounds.tokens * 1.1);
      const activations = tokens.map(({token}, index) => ({token, name: `crowd-${index}`}));
      const made = await flood<ActivatedConnector>(routes.activate.path, activations, 507);
      expect(made.length).to.be.within(bounds.connectors, bounds.connectors * 1.1);
      const {body} = await insist<Connector[]>(urlOf(0), routes.list.path, {key: crowded});
      expect(body).to.have.length(made.length);
    });
  });
}
