import {expect} from 'chai';
import {clientOf, failure} from '../../support/client.js';
import {bytes, json, type Respond} from '../../support/third-party.js';

describe('an activation by a third-party service', () => {
  const activate = async (response: Respond) =>
    (await clientOf(response)).activateConnector({token: 't0ken', name: 'n'});

  const bodies: readonly (readonly [Respond, unknown])[] = [
    [bytes('', {}, 204), {}],
    [bytes('', {'content-length': '0'}), {}],
    [bytes('OK', {'content-type': 'text/plain'}), 'OK'],
    // Express, NestJS, hapi, Flask, Sinatra and PHP send any text as a page.
    [bytes('Activated', {'content-type': 'text/html; charset=utf-8'}), 'Activated'],
    [bytes('', {'content-type': 'application/json'}, 204), {}],
    [bytes('{id}', {'content-type': 'application/toml'}), '{id}'],
    [bytes('[connector]\nid = 7', {'content-type': 'text/plain'}), '[connector]\nid = 7'],
    [json('true'), true],
    [json('null'), {}],
    [json('[]'), []],
    [json({}), {}],
    [json({success: true}), {success: true}],
  ];

  it('keeps the whole response, whether empty or in any format except a web page', async () => {
    for (const [response, raw] of bodies) {
      const reading = await activate(response);
      expect(reading).to.deep.include({connector: undefined, credential: undefined});
      expect(reading.raw).to.deep.equal(raw);
    }
  });

  it('marks an empty 200 without Location, and no other response', async () => {
    const from = {server: 'Caddy'};
    for (const [response, blank] of [
      [bytes('', from), from],
      [bytes('\r\n', {}), {server: undefined}],
      [bytes('', {...from, location: '/api/connectors/con_7'}), undefined],
      [bytes('', {...from, location: '/api/connectors/con_7'}, 201), undefined],
      [bytes('', {...from, 'content-type': 'application/json'}, 202), undefined],
      [bytes('', from, 204), undefined],
      [bytes('ok', from), undefined],
      [json({}), undefined],
    ] as const) {
      expect((await activate(response)).blank).to.deep.equal(blank);
    }
  });

  it('takes the id from the Location of a 201 whose body names no connector', async () => {
    for (const [body, raw] of [
      ['Created', 'Created'],
      ['{"message":"created"}', {message: 'created'}],
      ['null', {}],
      ['{"api_key":"s3cret"}', {api_key: 's3cret'}],
    ] as const) {
      const reading = await activate(bytes(body, {location: '/api/connectors/con_7'}, 201));
      expect(reading.connector?.id).to.equal('con_7');
      expect(reading.raw).to.deep.equal(raw);
    }
    const named = json({id: 'con_1'}, 201, {location: '/api/connectors/con_7'});
    expect((await activate(named)).connector?.id).to.equal('con_1');
  });

  it('takes the id from the Location of a 201 without a body', async () => {
    for (const [location, id] of [
      ['/api/connectors/con_7', 'con_7'],
      ['https://elsewhere.test/v1/connectors/a%2Fb/?x=1', 'a/b'],
    ] as const) {
      const {connector, raw} = await activate(bytes('', {location}, 201));
      expect(connector?.id).to.equal(id);
      expect(raw).to.deep.equal({});
    }
    for (const [location, status] of [
      ['/api/connectors/con_7', 200],
      ['/api/jobs/7', 201],
      ['/api/connectors/%zz', 201],
    ] as const) {
      expect((await activate(bytes('', {location}, status))).connector).to.equal(undefined);
    }
  });

  it('fails when the response is a web page', async () => {
    for (const response of [
      bytes('<!doctype html><p>Log in'),
      bytes('\n  <!-- proxy --><h1>It works!</h1>', {'content-type': 'text/plain'}),
    ]) {
      expect((await failure(() => activate(response))).kind).to.equal('protocol');
    }
  });

  const credentials: readonly (readonly [unknown, string, string])[] = [
    [{id: 1, api_key: 's'}, 'api_key', 's'],
    [{id: 1, credential: 's'}, 'credential', 's'],
    [{id: 1, credentials: {secret: 's'}}, 'credentials.secret', 's'],
    [{connector: {id: 1}, api_key: 's'}, 'api_key', 's'],
    [{connector: {id: 1, api_key: 's'}}, 'connector.api_key', 's'],
    [{data: {connector: {id: 1, apiKey: 's'}}}, 'data.connector.apiKey', 's'],
  ];
  for (const [response, field, value] of credentials) {
    it(`returns the credential in ${field} of ${JSON.stringify(response)}`, async () => {
      const reading = await activate(json(response));
      expect(reading.credential).to.deep.equal({field, value});
      expect(reading.connector?.id).to.equal('1');
      expect(reading.raw).to.deep.equal(response);
    });
  }

  it('does not return the activation token as a credential when the service repeats it', async () => {
    expect((await activate(json({id: 1, token: 't0ken'}))).credential).to.equal(undefined);
  });
});
