import {expect} from 'chai';
import {operations, routes} from '../../../src/contract/index.js';
import {formatSecret} from '../../../src/domain/secret.js';
import {eachWithService, refusal} from '../../support/server/service.js';

const guarded = operations.filter((operation) => routes[operation].access !== 'none');
const ofConnector = guarded.filter((operation) => routes[operation].access === 'connector');

const unknownKey = formatSecret('organizationKey', new Uint8Array(32));
const unknownConnectorKey = formatSecret('connectorKey', new Uint8Array(32));

describe('authentication', () => {
  const suite = eachWithService();

  it('guards every operation but activation', () => {
    const open = operations.filter((operation) => !guarded.includes(operation));
    const advice = 'Set `access` in src/contract/routes.ts, or add an operation for everyone here.';
    expect(open, advice).to.deep.equal(['activate']);
  });

  for (const operation of guarded) {
    describe(`of ${operation}`, () => {
      const refused = async (key: string | null, headers: Record<string, string> = {}) => {
        const {id} = await suite.service.connector();
        const response = await suite.service.call(operation, {id, key, headers});
        if (response.statusCode === 401) {
          expect(response.headers['www-authenticate']).to.equal('Bearer');
        }
        return refusal(response);
      };

      it('requires a key', async () => {
        expect(await refused(null)).to.deep.equal([401, 'key_missing']);
        for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic eDp5', 'Bearer a b']) {
          expect(await refused(null, {authorization})).to.deep.equal([401, 'key_missing']);
        }
      });

      it('distinguishes a mistyped key from an unknown one', async () => {
        const mistyped = `${suite.service.key.slice(0, -1)}~`;
        expect(await refused(mistyped)).to.deep.equal([401, 'key_malformed']);
        expect(await refused('ck_')).to.deep.equal([401, 'key_malformed']);
        expect(await refused('cck_x')).to.deep.equal([401, 'key_malformed']);
        expect(await refused(await suite.service.token())).to.deep.equal([401, 'key_malformed']);
        expect(await refused(unknownKey)).to.deep.equal([401, 'key_unknown']);
        expect(await refused('of-another-service')).to.deep.equal([401, 'key_unknown']);
      });

      it('refuses a key from the moment of its revocation', async () => {
        const {service} = suite;
        const key = await service.addKey('default');
        const [, added] = await service.store.listApiKeys();
        const {id} = await service.connector();
        expect((await service.call(operation, {id, key})).statusCode).to.be.below(300);
        await service.store.revokeApiKey(added?.id ?? '', service.time, null);
        expect(refusal(await service.call(operation, {id, key}))).to.deep.equal([
          401,
          'key_revoked',
        ]);
      });

      it('refuses an expired key from the exact millisecond', async () => {
        const {service} = suite;
        const key = await service.addKey('default', {expiresAt: service.time + 1000});
        const {id} = await service.connector();
        service.time += 999;
        expect((await service.call(operation, {id, key})).statusCode).to.be.below(300);
        service.time += 1;
        expect(refusal(await service.call(operation, {id, key}))).to.deep.equal([
          401,
          'key_expired',
        ]);
      });

      it('accepts the scheme in any case, and the key in X-API-Key', async () => {
        const {service} = suite;
        const {id} = await service.connector();
        for (const headers of [
          {authorization: `bearer ${service.key}`},
          {authorization: `BEARER   ${service.key} `},
          {'x-api-key': service.key},
        ]) {
          const response = await service.call(operation, {id, key: null, headers});
          expect(response.statusCode).to.be.below(300);
        }
      });
    });
  }

  it('checks the key before anything else in the request', async () => {
    const response = await suite.service.call('createToken', {key: null, body: '{'});
    expect(refusal(response)).to.deep.equal([401, 'key_missing']);
  });
});

describe("a connector's API key", () => {
  const suite = eachWithService();

  it('reveals nothing about other connectors, even in its organization', async () => {
    const {service} = suite;
    const {key} = await service.connector();
    const neighbor = await service.connector('neighbor');
    for (const operation of ofConnector) {
      const responses = await Promise.all([
        service.call(operation, {id: neighbor.id, key}),
        service.call(operation, {id: 'con_01M7WC9X5JY2YAPHXVR3EWVDQZ', key}),
        service.call(operation, {id: neighbor.id, key: unknownConnectorKey}),
      ]);
      expectAlike(responses);
      expect(refusal(responses[0])).to.deep.equal([401, 'key_unknown']);
    }
    expect((await service.call('get', {id: neighbor.id})).json().status).to.equal('never');
  });
});

describe('an organization', () => {
  const suite = eachWithService();

  it("cannot list, read or send heartbeats for another's connectors, nor learn that they exist", async () => {
    const {service} = suite;
    const mine = await service.connector('mine');
    const key = await service.addKey('other');
    const theirs = (await service.connector('theirs', {key})).id;
    for (const operation of ofConnector) {
      const responses = await Promise.all([
        service.call(operation, {id: mine.id, key}),
        service.call(operation, {id: 'con_01M7WC9X5JY2YAPHXVR3EWVDQZ', key}),
      ]);
      expectAlike(responses);
      expect(refusal(responses[0])).to.deep.equal([404, 'connector_unknown']);
    }
    const ids = async (query: string) =>
      (await service.call('list', {key, query})).json().map(({id}: {id: string}) => id);
    expect(await ids('')).to.deep.equal([theirs]);
    expect(await ids('?limit=5')).to.deep.equal([theirs]);
    expect((await service.call('get', {id: mine.id})).json().status).to.equal('never');
  });
});

/** Asserts that responses differ only in what differs between any two responses. */
function expectAlike(
  responses: readonly {statusCode: number; payload: string; headers: object}[],
): void {
  const [first, ...others] = responses.map(({statusCode, payload, headers}) => ({
    statusCode,
    headers: {...headers, 'x-request-id': '', date: '', 'content-length': ''},
    body: {...JSON.parse(payload), request_id: ''},
  }));
  for (const other of others) expect(other).to.deep.equal(first);
}
