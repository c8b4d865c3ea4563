import {expect} from 'chai';
import {ignoresLifetime, type RedemptionAttempt, redeemToken} from '../../src/domain/activation.js';
import {firstKey} from '../../src/domain/connector-keys.js';
import type {TokenRecord} from '../../src/domain/records.js';
import {hashSecret} from '../../src/domain/secret.js';
import {minute} from '../../src/domain/time.js';

const attempt: RedemptionAttempt = {
  tokenHash: hashSecret('token'),
  idempotencyHash: null,
  at: 1000,
  connector: {id: 'con_1', name: 'web', keyHash: 'h', activatedAt: 1000, lastHeartbeatAt: null},
  keyHashOf: (id) => hashSecret(`key of ${id}`),
};
const fresh: TokenRecord = {
  hash: attempt.tokenHash,
  organization: 'default',
  description: null,
  createdAt: 0,
  expiresAt: 2000,
  reissues: null,
  redemption: null,
};

// The tests of the stores have the rest of the rule.
describe('redeeming a token', () => {
  it('knows no token an hour after its expiry, used or not', () => {
    const used = {...fresh, redemption: {at: 500, attemptId: 'con_2', idempotencyHash: null}};
    const outcomeAt = (token: TokenRecord, at: number) =>
      redeemToken(token, undefined, {...attempt, at}, true).answer.outcome;
    const hourLater = 2000 + 60 * minute;
    expect([1999, 2000, hourLater - 1, hourLater].map((at) => outcomeAt(fresh, at))).to.deep.equal([
      ...['redeemed', 'expired', 'expired', 'unknown'],
    ]);
    expect([hourLater - 1, hourLater].map((at) => outcomeAt(used, at))).to.deep.equal([
      ...['used', 'unknown'],
    ]);
  });

  it('repeats for the very attempt that used the token, without an Idempotency-Key and at any time', () => {
    const redemption = {at: 500, attemptId: 'con_1', idempotencyHash: null};
    const keyHash = hashSecret('key of con_1');
    const made = {...attempt.connector, organization: 'default', ...firstKey, keyHash};
    const again = {...attempt, at: 3000};
    for (const reissues of [null, 'con_1']) {
      const {answer} = redeemToken({...fresh, reissues, redemption}, made, again, true);
      expect(answer.outcome).to.equal('repeated');
    }
  });
});

describe('the lifetime of a token', () => {
  const serverTime = new Date(0);
  const ignores = (lifetime: number, requested: number) =>
    ignoresLifetime({serverTime, expiresAt: new Date(lifetime * 1000)}, requested);

  it('is as requested within a minute, and within half of a short one', () => {
    expect([540, 600, 660].map((lifetime) => ignores(lifetime, 600))).to.deep.equal(
      Array(3).fill(false),
    );
    expect([539, 661].map((lifetime) => ignores(lifetime, 600))).to.deep.equal([true, true]);
    expect([30, 90].map((lifetime) => ignores(lifetime, 60))).to.deep.equal([false, false]);
    expect([29, 91].map((lifetime) => ignores(lifetime, 60))).to.deep.equal([true, true]);
  });

  it('is not evaluated without the time of the service', () => {
    expect(ignoresLifetime({serverTime: undefined, expiresAt: serverTime}, 600)).to.equal(false);
  });
});
