import {expect} from 'chai';
import {eachWithService, refusal} from '../../support/server/service.js';

describe('a method that a path does not allow', () => {
  const suite = eachWithService();

  for (const [method, url, allow] of [
    ['GET', '/api/connectors/x/heartbeat', 'POST'],
    ['POST', '/api/connectors', 'GET, HEAD'],
    ['PUT', '/api/connectors/activate', 'POST, GET, HEAD'],
    ['DELETE', '/api/connectors/x?y=z', 'GET, HEAD'],
    ['OPTIONS', '/api/connectors/x', 'GET, HEAD'],
    ['QUERY', '/api/connectors', 'GET, HEAD'],
    ['PROPFIND', '/readyz', 'GET, HEAD'],
  ] as const) {
    it(`gets 405 with Allow for ${method} ${url}`, async () => {
      const response = await suite.service.send({method, url, payload: '{'});
      expect(refusal(response)).to.deep.equal([405, 'method_not_allowed']);
      expect(response.headers['allow']).to.equal(allow);
    });
  }

  for (const url of ['/', '/api', '/api/connectors/x/y', '/API/connectors', '/api/connectors/x/']) {
    it(`gets 404 for ${url}, which is not a route`, async () => {
      const response = await suite.service.send({method: 'GET', url});
      expect(refusal(response)).to.deep.equal([404, 'route_unknown']);
    });
  }
});
