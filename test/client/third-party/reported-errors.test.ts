import {expect} from 'chai';
import {all, calls, clientOf, clientWithoutDelays, failure} from '../../support/client.js';
import {json, thirdPartyService} from '../../support/third-party.js';

describe('an error in a response with a status of success', () => {
  for (const [operation, call] of Object.entries(calls)) {
    for (const body of [
      {data: null, errors: [{message: 'no quota left'}]},
      {success: false, error: {message: 'no quota left', code: 'quota'}},
      {ok: false, error: 'no quota left'},
      {error: 'no quota left'},
      {status: 'error', message: 'no quota left'},
      {code: 500, message: 'no quota left', data: {}},
    ]) {
      it(`makes ${operation} fail with its message: ${JSON.stringify(body)}`, async () => {
        const client = await clientOf(json(body));
        const error = await failure(() => call(client));
        expect(error.message).to.include('reports an error in its 200 OK response: no quota left');
        expect(error).to.include({kind: 'remote', status: 200, outcomeUnknown: false});
      });
    }

    for (const body of [
      {success: false},
      {error: 'not found'},
      {error: {message: 'Not Found'}},
      {status: 'error', message: 'Error'},
    ]) {
      it(`makes ${operation} fail without a message: ${JSON.stringify(body)}`, async () => {
        const client = await clientOf(json(body));
        const error = await failure(() => call(client));
        expect(error.message.endsWith('reports an error in its 200 OK response')).to.equal(true);
      });
    }
  }

  it('gets its kind from the status in the body', async () => {
    for (const [body, kind] of [
      [{error: {code: 404, message: 'gone'}}, 'not_found'],
      [{statusCode: 401, message: 'who are you?'}, 'auth'],
      [{success: false, error: {status: 503, message: 'later'}}, 'unavailable'],
    ] as const) {
      const client = await clientOf(json(body));
      expect((await failure(() => client.getConnector('a'))).kind).to.equal(kind);
    }
  });

  it('is final, also with a status that would be repeated', async () => {
    const {url, seen} = await thirdPartyService(json({error: {status: 503, message: 'later'}}));
    await failure(() => clientWithoutDelays(url).client.getConnector('a'));
    expect(seen).to.have.length(1);
  });

  it('keeps the code, the request id and a reason', async () => {
    const body = {error: {code: 'token_used', message: 'used'}, request_id: 'r-1'};
    const client = await clientOf(json(body));
    expect(await failure(() => client.activateConnector({token: 't0ken', name: 'n'}))).to.include({
      code: 'token_used',
      requestId: 'r-1',
      reason: 'activation-token-used',
    });
  });

  it('is not mistaken for a field of a connector', async () => {
    const raw = {id: 'a', status: 'error', error: 'disk full', message: 'help', code: 500};
    for (const body of [raw, {data: raw}]) {
      const client = await clientOf(json(body));
      expect((await client.getConnector('a')).raw).to.deep.equal(raw);
      expect((await client.sendHeartbeat('a')).status).to.equal('error');
    }
    const client = await clientOf(json([raw]));
    expect(await all(client.listConnectors())).to.have.length(1);
  });

  it('does not discard the credential of an activation', async () => {
    for (const body of [
      {api_key: 's', error: 'no quota for metrics'},
      {data: {api_key: 's'}, errors: [{message: 'no quota for metrics'}]},
    ]) {
      const client = await clientOf(json(body));
      const {credential} = await client.activateConnector({token: 't0ken', name: 'n'});
      expect(credential?.value).to.equal('s');
    }
  });

  it('makes a list fail beside its connectors', async () => {
    const client = await clientOf(json({data: [{id: 1}], errors: [{message: 'shard 3 is down'}]}));
    const error = await failure(() => all(client.listConnectors()));
    expect(error.message).to.include('shard 3 is down');
  });
});
