import {expect} from 'chai';
import {ignoresLifetime, type RedemptionAttempt, redeemToken} from '../../src/domain/activation.js';
import {firstKey} from '../../src/domain/connector-keys.js';
import {
  type ConnectorRecord,
  newConnectorDefaults,
  type TokenRecord,
} from '../../src/domain/records.js';
import {hashSecret} from '../../src/domain/secret.js';
import {minute} from '../../src/domain/time.js';

const attempt: RedemptionAttempt = {
  tokenHash: hashSecret('token'),
  idempotencyHash: hashSecret('key'),
  at: 1000,
  connector: {id: 'con_2', name: 'web', keyHash: 'h', activatedAt: 1000, ...newConnectorDefaults},
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
const used: TokenRecord = {
  ...fresh,
  redemption: {at: 500, attemptId: 'con_1', idempotencyHash: attempt.idempotencyHash},
};

const web: ConnectorRecord = {
  id: 'con_1',
  organization: 'default',
  name: 'web',
  keyHash: hashSecret('key of con_1'),
  activatedAt: 500,
  ...newConnectorDefaults,
  ...firstKey,
};
/** A token for a new key of a connector. */
const reissuing: TokenRecord = {...fresh, reissues: 'con_1'};
const waiting: ConnectorRecord = {...web, reissueHash: reissuing.hash};

const outcomeOf = (
  token: TokenRecord | undefined,
  bound: ConnectorRecord | undefined,
  changed: RedemptionAttempt,
) => redeemToken(token, bound, changed, true).answer.outcome;

describe('redeeming a token', () => {
  it('refuses an unknown token', () => {
    expect(outcomeOf(undefined, undefined, attempt)).to.equal('unknown');
  });

  it('redeems until the last millisecond before it expires', () => {
    const at = (time: number) => outcomeOf(fresh, undefined, {...attempt, at: time});
    expect(at(1999)).to.equal('redeemed');
    expect(at(2000)).to.equal('expired');
  });

  it('knows no token an hour after its expiry, used or not', () => {
    const later = {...attempt, at: 2000 + 60 * minute};
    for (const token of [fresh, used, reissuing]) {
      expect(outcomeOf(token, web, {...later, at: later.at - 1})).to.not.equal('unknown');
      expect(outcomeOf(token, web, later)).to.equal('unknown');
    }
  });

  it('repeats for the same Idempotency-Key and name within the lifetime', () => {
    expect(outcomeOf(used, web, attempt)).to.equal('repeated');
  });

  it('repeats for the very attempt that used the token, without an Idempotency-Key and at any time', () => {
    const own = {at: 500, attemptId: attempt.connector.id, idempotencyHash: null};
    const made = {...web, id: 'con_2', keyHash: hashSecret('key of con_2')};
    const again = {...attempt, idempotencyHash: null, at: 3000};
    expect(outcomeOf({...fresh, redemption: own}, made, again)).to.equal('repeated');
    expect(outcomeOf({...reissuing, redemption: own}, web, again)).to.equal('repeated');
    const revoked = {...made, revokedAt: 600};
    expect(outcomeOf({...fresh, redemption: own}, revoked, again)).to.equal('used');
  });

  for (const [difference, token, bound, changed] of [
    ['another Idempotency-Key', used, web, {...attempt, idempotencyHash: hashSecret('other')}],
    ['no Idempotency-Key', used, web, {...attempt, idempotencyHash: null}],
    [
      'no Idempotency-Key, like the first attempt',
      {...used, redemption: {at: 500, attemptId: 'con_1', idempotencyHash: null}},
      web,
      {...attempt, idempotencyHash: null},
    ],
    ['another name', used, {...web, name: 'db'}, attempt],
    ['a revoked connector', used, {...web, revokedAt: 600}, attempt],
    ['a key that was replaced', used, {...web, keyHash: hashSecret('new')}, attempt],
    ['a connector that was removed', used, undefined, attempt],
    ['an expired token', used, web, {...attempt, at: 2000}],
  ] as const) {
    it(`is refused as used when it is repeated with ${difference}`, () => {
      expect(outcomeOf(token, bound, changed)).to.equal('used');
    });
  }
});

describe('redeeming a token for a new key', () => {
  for (const [decision, bound, at] of [
    ['reissued', waiting, 1999],
    ['reissued', {...waiting, revokedAt: 600}, 1999],
    ['expired', waiting, 2000],
    ['used', {...waiting, reissueHash: hashSecret('later token')}, 1999],
    ['used', undefined, 1999],
    ['used', undefined, 2000],
  ] as const) {
    const isLast = bound?.reissueHash === reissuing.hash;
    const connector =
      bound === undefined
        ? 'a removed'
        : `${bound.revokedAt ? 'a revoked' : isLast ? 'a waiting' : "another token's"}`;
    it(`is "${decision}" for ${connector} connector at ${at} of 2000 ms`, () => {
      expect(outcomeOf(reissuing, bound, {...attempt, at})).to.equal(decision);
    });
  }
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

  it('is not judged without the time of the service', () => {
    expect(ignoresLifetime({serverTime: undefined, expiresAt: serverTime}, 600)).to.equal(false);
  });
});
