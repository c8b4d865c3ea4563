import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {mayFollow} from '../../../src/client/http/transport.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

const to = (location: string, status = 307): Respond => json('', status, {location});

/** All requests that a service received, as one text to search. */
const everything = (service: {seen: readonly unknown[]}) => JSON.stringify(service.seen);

describe('redirects of the client', () => {
  for (const authHeader of [undefined, 'X-API-Key']) {
    it(`send the key in ${authHeader ?? 'Authorization'} within the origin, and never to another origin`, async () => {
      const stranger = await thirdPartyService(json([{id: 'a'}]));
      const service = await thirdPartyService(
        inTurn(to('/moved', 302), to('other', 301), to(`${stranger.url}/list?page=1`)),
      );
      const {client} = clientWithoutDelays(service.url, {apiKey: 'sesame', authHeader});
      expect(await all(client.listConnectors())).to.have.length(1);
      expect(service.seen.map(({path}) => path)).to.deep.equal([
        '/api/connectors',
        '/moved',
        '/other',
      ]);
      for (const {headers} of service.seen) expect(JSON.stringify(headers)).to.include('sesame');
      expect(stranger.seen).to.have.length(1);
      expect(everything(stranger)).not.to.include('sesame');
    });
  }

  it('do not send the key again when they return to the first origin', async () => {
    const stranger = await thirdPartyService((_, response) => {
      response.writeHead(302, {location: `${service.url}/home`}).end();
    });
    const service = await thirdPartyService(inTurn(to(stranger.url), json([])));
    await all(clientWithoutDelays(service.url, {apiKey: 'sesame'}).client.listConnectors());
    expect(service.seen[1]?.headers).not.to.have.property('authorization');
  });

  it('report that the key is not sent to another origin when that origin asks for it', async () => {
    const stranger = await thirdPartyService(json({}, 401));
    const service = await thirdPartyService(to(stranger.url));
    const {client} = clientWithoutDelays(service.url, {apiKey: 'sesame'});
    const error = await failure(() => client.getConnector('a'));
    expect(error).to.include({kind: 'auth', status: 401});
    expect(hintFor(error)).to.include(stranger.url).and.to.include('base URL');
  });

  it('show facts about the key only where it was sent', async () => {
    const headers = {'connectorctl-key-access': 'full'};
    const stranger = await thirdPartyService(json([], 200, headers));
    const service = await thirdPartyService(inTurn(json([], 200, headers), to(stranger.url)));
    const keys: unknown[] = [];
    const {client} = clientWithoutDelays(service.url, {
      onResponse: ({key}) => keys.push(key?.access),
    });
    for (let sent = 0; sent < 2; sent += 1) await all(client.listConnectors());
    expect(keys).to.deep.equal(['full', undefined]);
  });

  it('repeat a POST with its body within the origin', async () => {
    for (const status of [301, 302, 307, 308]) {
      const service = await thirdPartyService(inTurn(to('/there', status), json({id: 'con_1'})));
      const {client} = clientWithoutDelays(service.url, {apiKey: 'k'});
      await client.activateConnector({token: 't0ken', name: 'door'});
      const [first, second] = service.seen;
      expect(second, String(status)).to.include({
        method: 'POST',
        path: '/there',
        body: first?.body,
      });
      expect(second?.headers['idempotency-key']).to.equal(first?.headers['idempotency-key']);
    }
  });

  it('are not followed when they would send a POST to another origin or turn it into a GET', async () => {
    const stranger = await thirdPartyService(json({id: 'con_1'}));
    for (const [location, status] of [
      [stranger.url, 307],
      [stranger.url, 302],
      ['/there', 303],
    ] as const) {
      const service = await thirdPartyService(to(location, status));
      const {client} = clientWithoutDelays(service.url, {apiKey: 'k'});
      const error = await failure(() => client.activateConnector({token: 't0ken', name: 'n'}));
      expect(error).to.include({kind: 'protocol', status});
      expect(hintFor(error)).to.include(new URL(location, service.url).origin);
      expect(service.seen).to.have.length(1);
    }
    expect(stranger.seen).to.deep.equal([]);
  });

  it('are not the Location of an error, also of one in the body of a 201', async () => {
    for (const [respond, reason] of [
      [to('/there', 400), 'request-rejected'],
      [json({success: false}, 201, {location: '/there'}), 'service-failed'],
    ] as const) {
      const {url} = await thirdPartyService(respond);
      const error = await failure(() => clientWithoutDelays(url).client.createToken());
      expect(error.reason).to.equal(reason);
    }
  });

  it('fail when they form a loop, do not name a URL, or leave HTTP', async () => {
    for (const location of ['/api/connectors', 'http://[', 'http://unix:/run/docker.sock:/x']) {
      const service = await thirdPartyService(to(location));
      const error = await failure(() =>
        all(clientWithoutDelays(service.url).client.listConnectors()),
      );
      expect(error.kind, location).to.be.oneOf(['protocol', 'unavailable']);
    }
  });

  it('are not followed to another protocol, nor tried again', async () => {
    const service = await thirdPartyService(to('ftp://127.0.0.1/'));
    const {client} = clientWithoutDelays(service.url, {retries: 2});
    const error = await failure(() => client.getConnector('a'));
    expect(error).to.include({kind: 'protocol', reason: 'redirect-not-followed'});
    expect(service.seen).to.have.length(1);
  });

  it('treat another scheme as another origin', () => {
    const response = {statusCode: 307, headers: {location: 'http://host/there'}};
    expect(mayFollow('POST', new URL('https://host/here'), response)).to.equal(false);
    expect(mayFollow('POST', new URL('http://host/here'), response)).to.equal(true);
  });
});
