import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import type {ServiceFacts} from '../../../src/client/types.js';
import {clientWithoutDelays, failure} from '../../support/client.js';
import {json, thirdPartyService} from '../../support/third-party.js';

const hour = 3_600_000;

describe('the client behind caches and gateways', () => {
  it('takes the Date of a response and its Age in a cache for the time of the service', async () => {
    for (const [age, hours] of [
      ['7200', 0],
      ['0', -2],
      ['-1', -2],
      ['soon', -2],
    ] as const) {
      const seen: ServiceFacts[] = [];
      const date = new Date(Date.now() - 2 * hour).toUTCString();
      const {url} = await thirdPartyService(json({id: 'a'}, 200, {date, age}));
      const {client} = clientWithoutDelays(url, {onResponse: (facts) => seen.push(facts)});
      await client.getConnector('a');
      expect(Math.round((seen[0]?.clockAhead ?? Number.NaN) / hour) + 0).to.equal(hours);
    }
  });

  it('asks caches for a new response to a GET', async () => {
    const service = await thirdPartyService(json({id: 'a'}));
    const {client} = clientWithoutDelays(service.url);
    await client.getConnector('a');
    await client.sendHeartbeat('a');
    expect(service.seen.map(({headers}) => headers['cache-control'])).to.deep.equal([
      'no-cache',
      undefined,
    ]);
  });

  it('says that something removed the key, where it was sent and the service got none', async () => {
    const service = await thirdPartyService(json({code: 'key_missing'}, 401));
    const sent = clientWithoutDelays(service.url, {apiKey: 'k'}).client;
    const error = await failure(() => sent.getConnector('a'));
    expect(error.reason).to.equal('api-key-removed');
    expect(hintFor(error)).to.include('The key was sent, but the service got none');
    const none = clientWithoutDelays(service.url).client;
    expect((await failure(() => none.getConnector('a'))).reason).to.equal('api-key-missing');
  });
});
