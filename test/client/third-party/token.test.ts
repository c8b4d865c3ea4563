import {expect} from 'chai';
import {clientOf, failure} from '../../support/client.js';
import {bytes, json, type Respond} from '../../support/third-party.js';

describe('a token from a third-party service', () => {
  const create = async (response: Respond) => (await clientOf(response)).createToken();

  it('is read with any 2xx status, and keeps unknown fields', async () => {
    for (const status of [200, 201, 202, 203]) {
      const raw = {token: 't', expires_at: '2030-01-01T00:00:00Z', uses: 1};
      expect((await create(json(raw, status))).raw).to.deep.equal(raw);
    }
  });

  it('has its expiry read with any offset from UTC', async () => {
    const sent = json({token: 't', expires_at: '2030-01-01T02:00:00+02:00'});
    expect((await create(sent)).expiresAt.toISOString()).to.equal('2030-01-01T00:00:00.000Z');
  });

  const expires_at = '2030-01-01T00:00:00Z';
  const broken: readonly (readonly [string, Respond, string])[] = [
    ['without a token', json({expires_at}), '`token` is missing'],
    [
      'with a numeric token',
      json({token: 5, expires_at}),
      '`token` is a number, not a non-empty string',
    ],
    [
      'with a token of null',
      json({token: null, expires_at}),
      '`token` is null, not a non-empty string',
    ],
    ['with an empty token', json({token: '', expires_at}), '`token` is not a non-empty string'],
    ['without expires_at', json({token: 't'}), '`expires_at` is missing'],
    [
      'with a Unix time as expires_at',
      json({token: 't', expires_at: 1893456000}),
      '`expires_at` is a number, not an ISO 8601 UTC timestamp',
    ],
    [
      'with an expires_at without a time zone',
      json({token: 't', expires_at: '2030-01-01T00:00:00'}),
      '`expires_at` is not an ISO 8601 UTC timestamp',
    ],
    [
      'with an expires_at in words',
      json({token: 't', expires_at: 'tomorrow'}),
      '`expires_at` is not an ISO 8601 UTC timestamp',
    ],
    [
      'with an impossible date as expires_at',
      json({token: 't', expires_at: '2030-13-45T00:00:00Z'}),
      '`expires_at` is not',
    ],
    ['in an envelope', json({data: {token: 't', expires_at}}), '`token` is missing'],
    ['in an array', json([{token: 't', expires_at}]), 'it is not a JSON object'],
    ['of null', json('null'), 'it is not a JSON object'],
    ['that is empty', bytes('', {}, 204), 'it is empty'],
  ];
  for (const [name, response, end] of broken) {
    it(`fails with a protocol error for a response ${name}`, async () => {
      const error = await failure(() => create(response));
      expect(error.kind).to.equal('protocol');
      expect(error.exitCode).to.equal(8);
      expect(error.message).to.include(`breaks the interface: ${end}`);
    });
  }
});
