import {expect} from 'chai';
import {limits} from '../../../src/contract/index.js';
import {formatSecret, hashSecret, isWellFormedSecret} from '../../../src/domain/secret.js';
import {eachWithService, refusal} from '../../support/server/service.js';

const unknownToken = formatSecret('activationToken', new Uint8Array(32));

describe('activate', () => {
  const suite = eachWithService();

  it('returns 201 with the connector and its API key for a token and a name', async () => {
    const {service} = suite;
    const token = await service.token();
    const response = await service.call('activate', {body: {token, name: 'web-1'}});
    expect(response.statusCode).to.equal(201);
    const {id, api_key, ...connector} = response.json();
    expect(id).to.match(/^con_[0-9A-Z]{26}$/);
    expect(isWellFormedSecret('connectorKey', api_key)).to.equal(true);
    expect(connector).to.deep.equal({
      name: 'web-1',
      organization: 'default',
      status: 'never',
      activated_at: '2026-01-01T00:00:00.000Z',
      last_heartbeat_at: null,
      identity_shared_at: null,
      starts_last_hour: 0,
    });
    expect(service.store.state.connectors.get(id)?.keyHash).to.equal(hashSecret(api_key));
    expect(JSON.stringify([...service.store.connectors, ...service.store.tokens])).to.not.match(
      /act_|cck_/,
    );
  });

  it('trims the token and the name, and ignores unknown fields', async () => {
    const {service} = suite;
    const body = {token: ` ${await service.token()}\n`, name: '  web 1 ', later: true};
    const response = await service.call('activate', {body});
    expect(response.statusCode).to.equal(201);
    expect(response.json().name).to.equal('web 1');
  });

  const contentTypes = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', ';'];
  for (const type of contentTypes) {
    it(`parses a body of type ${JSON.stringify(type)} as JSON`, async () => {
      const {service} = suite;
      const body = {token: await service.token(), name: 'x'};
      const response = await service.call('activate', {body, headers: {'content-type': type}});
      expect(response.statusCode).to.equal(201);
    });
  }

  it('needs no key, and ignores one', async () => {
    const {service} = suite;
    const body = {token: await service.token(), name: 'x'};
    const response = await service.call('activate', {body, key: 'nonsense'});
    expect(response.statusCode).to.equal(201);
  });

  const refusedNames = ['   ', 'x'.repeat(limits.nameLength + 1), 'a\nb', 7, undefined];
  for (const name of refusedNames) {
    it(`refuses the name ${JSON.stringify(name)?.slice(0, 40)}, and the token stays valid`, async () => {
      const {service} = suite;
      const token = await service.token();
      const response = await service.call('activate', {body: {token, name}});
      expect(refusal(response)).to.deep.equal([400, 'request_invalid']);
      expect(response.json().errors.map(({path}: {path: string}) => path)).to.deep.equal(['/name']);
      expect(response.json().detail).to.include('the token was not used');
      expect(service.store.connectors).to.have.length(0);
      const again = await service.call('activate', {body: {token, name: 'good'}});
      expect(again.statusCode).to.equal(201);
    });
  }

  it('names every invalid field, and a missing body', async () => {
    const {service} = suite;
    const empty = await service.call('activate', {body: {}});
    const paths = empty.json().errors.map(({path}: {path: string}) => path);
    expect(paths).to.deep.equal(['/token', '/name']);
    const none = await service.call('activate');
    expect(refusal(none)).to.deep.equal([400, 'request_invalid']);
    expect(none.json().errors).to.deep.equal([{path: '', message: 'must be a JSON object'}]);
  });

  it('distinguishes malformed, unknown, used and expired tokens', async () => {
    const {service} = suite;
    const used = await service.token();
    await service.call('activate', {body: {token: used, name: 'x'}});
    const expired = await service.token({body: {ttl_seconds: 60}});
    const mistyped = unknownToken.replace('A', 'B');
    service.time += 60_000;
    const codeOf = async (token: string) =>
      refusal(await service.call('activate', {body: {token, name: 'x'}}));
    expect(await codeOf('')).to.deep.equal([400, 'token_malformed']);
    expect(await codeOf(mistyped)).to.deep.equal([400, 'token_malformed']);
    expect(await codeOf(service.key)).to.deep.equal([400, 'token_malformed']);
    expect(await codeOf(unknownToken)).to.deep.equal([401, 'token_unknown']);
    expect(await codeOf(used)).to.deep.equal([409, 'token_used']);
    expect(await codeOf(expired)).to.deep.equal([410, 'token_expired']);
  });
});

describe('activate with an Idempotency-Key', () => {
  const suite = eachWithService();
  const attempt = (token: string, name: string, key?: string) =>
    suite.service.call('activate', {
      body: {token, name},
      ...(key !== undefined && {headers: {'idempotency-key': key}}),
    });

  it('returns the same connector and API key again', async () => {
    const token = await suite.service.token();
    const first = await attempt(token, 'web-1', 'once');
    suite.service.time += 1000;
    const second = await attempt(token, ' web-1', 'once');
    expect(second.statusCode).to.equal(201);
    expect(second.json()).to.deep.equal(first.json());
    expect(suite.service.store.connectors).to.have.length(1);
  });

  const {idempotencyKeyLength} = limits;
  for (const key of ['', ' ', 'a b', 'ü', 'x'.repeat(idempotencyKeyLength + 1)]) {
    it(`refuses the key ${JSON.stringify(key).slice(0, 20)}, and the token stays valid`, async () => {
      const token = await suite.service.token();
      expect(refusal(await attempt(token, 'x', key))).to.deep.equal([400, 'request_invalid']);
      expect((await attempt(token, 'x')).statusCode).to.equal(201);
    });
  }

  it('accepts a key of the maximum length', async () => {
    const token = await suite.service.token();
    const response = await attempt(token, 'x', '~'.repeat(idempotencyKeyLength));
    expect(response.statusCode).to.equal(201);
  });
});

describe('the limit of failed activations', () => {
  const suite = eachWithService();
  const guess = (token: string, address?: string) =>
    suite.service.call('activate', {body: {token, name: 'x'}, ...(address && {address})});
  const useUp = async (token: string, address?: string) => {
    for (let count = 0; count < limits.activationFailureLimit; count += 1) {
      expect((await guess(token, address)).statusCode).to.be.oneOf([400, 401]);
    }
  };

  for (const [what, token] of [
    ['unknown', unknownToken],
    ['malformed', 'act_guess'],
  ] as const) {
    it(`returns 429 with Retry-After after ten ${what} tokens, until the minute is over`, async () => {
      const {service} = suite;
      await useUp(token);
      service.elapsed += 20_000;
      const response = await guess(token);
      expect(refusal(response)).to.deep.equal([429, 'rate_limited']);
      expect(response.headers['retry-after']).to.equal('40');
      service.elapsed += 40_000;
      expect((await guess(token)).statusCode).to.not.equal(429);
    });
  }

  it('still accepts a valid token, and reports used and expired ones', async () => {
    const {service} = suite;
    const expired = await service.token({body: {ttl_seconds: 60}});
    service.time += 60_000;
    const token = await service.token();
    await useUp(unknownToken);
    expect(refusal(await guess(unknownToken))).to.deep.equal([429, 'rate_limited']);
    expect((await guess(token)).statusCode).to.equal(201);
    expect(refusal(await guess(token))).to.deep.equal([409, 'token_used']);
    expect(refusal(await guess(expired))).to.deep.equal([410, 'token_expired']);
  });

  it('does not count accepted activations, invalid names, or used and expired tokens', async () => {
    const {service} = suite;
    const token = await service.token();
    const expired = await service.token({body: {ttl_seconds: 60}});
    service.time += 60_000;
    for (let count = 0; count < 20; count += 1) {
      await service.connector();
      await service.call('activate', {body: {token, name: ''}});
      expect(refusal(await guess(expired))).to.deep.equal([410, 'token_expired']);
    }
    expect((await guess(token)).statusCode).to.equal(201);
    expect(refusal(await guess(token))).to.deep.equal([409, 'token_used']);
  });

  it('lets at most ten of many simultaneous guesses pass', async () => {
    const responses = await Promise.all(Array.from({length: 50}, () => guess(unknownToken)));
    const informed = responses.filter(({statusCode}) => statusCode === 401);
    expect(informed).to.have.length(limits.activationFailureLimit);
  });

  it('counts the IPv6 network of a host as one address', async () => {
    await useUp(unknownToken, '2001:db8:1:2::1');
    expect((await guess(unknownToken, '2001:db8:1:2:ffff::9')).statusCode).to.equal(429);
    expect((await guess(unknownToken, '2001:db8:1:3::1')).statusCode).to.equal(401);
  });

  it('counts an IPv4 address and its IPv6 form as one address', async () => {
    await useUp(unknownToken, '::ffff:192.0.2.1');
    expect((await guess(unknownToken, '192.0.2.1')).statusCode).to.equal(429);
    expect((await guess(unknownToken, '::ffff:192.0.2.2')).statusCode).to.equal(401);
  });
});
