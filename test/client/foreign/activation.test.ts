import {expect} from 'chai';
import {type Answer, bytes, closeForeignServices, json} from '../../support/foreign-service.js';
import {clientOf, failure} from '../support.js';

describe('an activation by a foreign service', () => {
  afterEach(closeForeignServices);

  const activate = async (answer: Answer) =>
    (await clientOf(answer)).activateConnector({token: 't0ken', name: 'n'});

  it('may answer nothing, or anything that is no page', async () => {
    for (const answer of [
      bytes('', {}, 204),
      bytes('', {'content-length': '0'}),
      bytes('OK', {'content-type': 'text/plain'}),
      json('true'),
      json('null'),
      json('[]'),
      json({}),
      json({success: true}),
    ]) {
      const reading = await activate(answer);
      expect(reading).to.include({connector: undefined, credential: undefined});
      expect(reading.raw).to.be.an('object');
    }
  });

  it('that answers a page, or JSON that is none, is not believed', async () => {
    for (const answer of [
      bytes('<!doctype html><p>Log in'),
      bytes('welcome', {'content-type': 'text/html'}),
      bytes('{"id":', {'content-type': 'application/json'}),
    ]) {
      expect((await failure(() => activate(answer))).kind).to.equal('protocol');
    }
  });

  const credentials: readonly (readonly [unknown, string, string])[] = [
    [{id: 1, api_key: 's'}, 'api_key', 's'],
    [{id: 1, apiKey: 's'}, 'apiKey', 's'],
    [{id: 1, key: 's'}, 'key', 's'],
    [{id: 1, secret: 's'}, 'secret', 's'],
    [{id: 1, access_token: 's'}, 'access_token', 's'],
    [{id: 1, token: 's'}, 'token', 's'],
    [{id: 1, credential: 's'}, 'credential', 's'],
    [{id: 1, credentials: {secret: 's'}}, 'credentials.secret', 's'],
    [{connector: {id: 1}, api_key: 's'}, 'api_key', 's'],
    [{connector: {id: 1, api_key: 's'}}, 'connector.api_key', 's'],
    [{data: {connector: {id: 1, apiKey: 's'}}}, 'data.connector.apiKey', 's'],
  ];
  for (const [answer, field, value] of credentials) {
    it(`brings its credential in ${field} of ${JSON.stringify(answer)}`, async () => {
      const reading = await activate(json(answer));
      expect(reading.credential).to.deep.equal({field, value});
      expect(reading.connector?.id).to.equal('1');
      expect(reading.raw).to.deep.equal(answer);
    });
  }

  it('does not take the echoed activation token for a credential', async () => {
    expect((await activate(json({id: 1, token: 't0ken'}))).credential).to.equal(undefined);
  });
});
