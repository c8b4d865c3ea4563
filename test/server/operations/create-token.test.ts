import {expect} from 'chai';
import {limits} from '../../../src/contract/index.js';
import {isWellFormedSecret} from '../../../src/domain/secret.js';
import {eachWithService, refusal} from '../../support/server/service.js';

describe('create-token', () => {
  const suite = eachWithService();

  it('returns 201 with a token and its expiry for a request without a body', async () => {
    const response = await suite.service.call('createToken');
    expect(response.statusCode).to.equal(201);
    const {token, expires_at} = response.json();
    expect(Object.keys(response.json())).to.deep.equal(['token', 'expires_at']);
    expect(isWellFormedSecret('activationToken', token)).to.equal(true);
    expect(expires_at).to.equal('2026-01-01T00:15:00.000Z');
  });

  for (const body of ['', '{}', ' {} ', '{"later": 1}', '{"__proto__": {"ttl_seconds": 1}}']) {
    it(`accepts the body ${JSON.stringify(body)}`, async () => {
      const response = await suite.service.call('createToken', {body});
      expect(response.statusCode).to.equal(201);
      expect(response.json().expires_at).to.equal('2026-01-01T00:15:00.000Z');
    });
  }

  it('honors ttl_seconds and description', async () => {
    const body = {ttl_seconds: limits.tokenTtl.min, description: ' rack 7 '};
    const response = await suite.service.call('createToken', {body});
    expect(response.json().expires_at).to.equal('2026-01-01T00:01:00.000Z');
    const [record] = suite.service.store.tokens;
    expect(record?.description).to.equal('rack 7');
  });

  const refused: [unknown, string][] = [
    [{ttl_seconds: limits.tokenTtl.min - 1}, '/ttl_seconds'],
    [{ttl_seconds: limits.tokenTtl.max + 1}, '/ttl_seconds'],
    [{ttl_seconds: '60'}, '/ttl_seconds'],
    [{ttl_seconds: 60.5}, '/ttl_seconds'],
    [{ttl_seconds: null}, '/ttl_seconds'],
    [{description: ''}, '/description'],
    [{description: 'a\u0000b'}, '/description'],
    [{description: 'x'.repeat(limits.descriptionLength + 1)}, '/description'],
    [[], ''],
    ['"text"', ''],
    ['7', ''],
  ];
  for (const [body, path] of refused) {
    it(`refuses ${JSON.stringify(body).slice(0, 60)}, naming the field`, async () => {
      const response = await suite.service.call('createToken', {body});
      expect(refusal(response)).to.deep.equal([400, 'request_invalid']);
      const [error, ...others] = response.json().errors;
      expect(others).to.deep.equal([]);
      expect(error.path).to.equal(path);
      expect(error.message).to.have.length.above(10);
      expect(suite.service.store.tokens).to.have.length(0);
    });
  }

  for (const body of ['{', 'token=x', '{"a":}', '\u0000']) {
    it(`refuses ${JSON.stringify(body)}, which is not JSON`, async () => {
      const response = await suite.service.call('createToken', {body});
      expect(refusal(response)).to.deep.equal([400, 'body_malformed']);
    });
  }
});
