import {expect} from 'chai';
import {createClient} from '../../../src/client/create-client.js';
import type {ServiceFacts} from '../../../src/client/types.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {
  json,
  type Respond,
  type ThirdPartyService,
  thirdPartyService,
} from '../../support/third-party.js';
import {describeWith} from '../installed.js';
import {
  cut,
  type Gateway,
  type GatewayName,
  gateways,
  list,
  type RunningGateway,
  startGateway,
  tls,
} from './gateways.js';

for (const name of Object.keys(gateways) as GatewayName[]) {
  const {statuses, forwarded, hasTls, reload}: Gateway = gateways[name];

  describeWith([name], `a service behind ${name}`, () => {
    let respond: Respond;
    let service: ThirdPartyService;
    let gateway: RunningGateway;

    before(async () => {
      service = await thirdPartyService((...call) => respond(...call), hasTls ? tls : undefined);
      gateway = await startGateway(name, Number(new URL(service.url).port));
    });
    after(async () => {
      await gateway?.close();
      await service.close();
    });
    beforeEach(() => {
      service.seen.length = 0;
    });

    const client = (options = {}) =>
      clientWithoutDelays(gateway.url, {apiKey: 'k3y', timeout: 20_000, ...options}).client;
    const activate = () => client({retries: 0}).activateConnector({token: 't0ken', name: 'door'});

    it('gives 5,000 connectors whole, and gets the key', async () => {
      respond = json(list);
      expect(await all(client().listConnectors())).to.have.length(5000);
      expect(service.seen[0]?.headers).to.include({authorization: 'Bearer k3y'});
    });

    it('never gives a part of a list that breaks off', async () => {
      respond = cut;
      const error = await failure(() => all(client().listConnectors()));
      expect(error.reason).to.be.oneOf([
        'connection-lost',
        'body-incomplete',
        'service-failed',
        'service-unavailable',
        'timed-out',
      ]);
    });

    it('may have activated a connector when the response is lost, and beats on', async () => {
      respond = (_, response) => response.destroy();
      const error = await failure(activate);
      expect(error).to.include({outcomeUnknown: true, status: statuses.broken});
      expect(service.seen.length).to.be.above(0);
      respond = (request, response, index) =>
        service.seen.length < 3
          ? response.destroy()
          : json({status: 'online'})(request, response, index);
      service.seen.length = 0;
      expect(await client().sendHeartbeat('con_1')).to.include({status: 'online'});
    });

    it('may have activated a connector when it is too slow', async () => {
      respond = () => undefined;
      const error = await failure(activate);
      expect(error).to.include({outcomeUnknown: true, status: statuses.slow});
    });

    it(`gets X-Forwarded-For: ${forwarded} for a client that claims 203.0.113.9`, async () => {
      respond = json({});
      await (await fetch(gateway.url, {headers: {'x-forwarded-for': '203.0.113.9'}})).text();
      expect(service.seen[0]?.headers['x-forwarded-for']).to.equal(forwarded);
    });

    it('tells the client the time of its own clock', async () => {
      const facts: ServiceFacts[] = [];
      respond = json({id: 'a'}, 200, {date: new Date(Date.now() - 7_200_000).toUTCString()});
      await client({onResponse: (one: ServiceFacts) => facts.push(one)}).getConnector('b');
      expect(facts[0]?.clockAhead).to.be.within(-7_260_000, -7_140_000);
    });

    it('is asked for a new response by each GET, whatever its responses allow', async () => {
      const facts: ServiceFacts[] = [];
      respond = json({id: 'a'}, 200, {'cache-control': 'public, max-age=3600'});
      const {getConnector} = client({onResponse: (one: ServiceFacts) => facts.push(one)});
      await getConnector('a');
      await getConnector('a');
      expect(facts).to.have.length(2);
      for (const {clockAhead} of facts) expect(Math.abs(clockAhead ?? 0)).to.be.below(60_000);
    });

    if (reload !== undefined) {
      // Squid accepts no connection for most of a second.
      const reloads = name === 'squid' ? 5 : 50;
      it(`loses no heartbeat in ${reloads} reloads`, async () => {
        respond = json({status: 'online'});
        const {sendHeartbeat} = createClient({baseUrl: gateway.url});
        for (let round = 0; round < reloads; round += 1) {
          const before = sendHeartbeat('con_1');
          await gateway.reload();
          expect(await Promise.all([before, sendHeartbeat('con_1')])).to.have.length(2);
        }
      });
    }

    it('is dead for a client while it does not listen', async () => {
      await service.close();
      const error = await failure(() => client().sendHeartbeat('con_1'));
      expect(error.status).to.equal(statuses.dead);
      expect(error.isTransient).to.equal(true);
    });
  });
}
