import {expect} from 'chai';
import {
  firstKey,
  ignoresLifetime,
  type RedemptionAttempt,
  redeemToken,
  reissueToken,
  revokeConnector,
  tokenRetention,
} from '../../src/domain/activation.js';
import type {ConnectorRecord, TokenRecord} from '../../src/domain/records.js';
import {hashSecret} from '../../src/domain/secret.js';

const idempotencyHash = hashSecret('first');
const attempt: RedemptionAttempt = {
  tokenHash: hashSecret('token'),
  idempotencyHash,
  at: 1000,
  connector: {id: 'con_2', name: 'web', keyHash: 'h', activatedAt: 1000, lastHeartbeatAt: null},
  keyHashOf: (id) => hashSecret(`key of ${id}`),
};
const fresh: TokenRecord = {
  hash: attempt.tokenHash,
  organization: 'acme',
  description: null,
  createdAt: 0,
  expiresAt: 2000,
  reissues: null,
  redemption: null,
};
/** The connector that another attempt made with the token, and the token after it. */
const made: ConnectorRecord = {
  ...attempt.connector,
  ...firstKey,
  id: 'con_1',
  organization: 'acme',
  keyHash: attempt.keyHashOf('con_1'),
};
const used = {...fresh, redemption: {at: 500, attemptId: 'con_1', idempotencyHash}};
/** A token for a new key of the connector, and the connector while it waits for that token. */
const reissue = {...fresh, reissues: 'con_1'};
const waiting = {...made, keyHash: hashSecret('old key'), reissueHash: fresh.hash};
const revoked = {revokedAt: 900, revocationReason: 'lost'};
const forgotten = fresh.expiresAt + tokenRetention;

describe('an activation', () => {
  for (const [what, token, bound, changed, hasRoom, outcome] of [
    ['with an unknown token', undefined, undefined, {}, true, 'unknown'],
    ['in the last moment of a token', fresh, undefined, {at: 1999}, true, 'redeemed'],
    ['at the expiry of a token', fresh, undefined, {at: 2000}, true, 'expired'],
    ['long after the expiry', fresh, undefined, {at: forgotten - 1}, true, 'expired'],
    ['with a forgotten token', fresh, undefined, {at: forgotten}, true, 'unknown'],
    ['without room for a connector', fresh, undefined, {}, false, 'full'],
    ['with the Idempotency-Key of the first', used, made, {}, true, 'repeated'],
    ['that is repeated without room', used, made, {}, false, 'repeated'],
    ['that is repeated after the expiry', used, made, {at: forgotten - 1}, true, 'repeated'],
    ['that is repeated with a forgotten token', used, made, {at: forgotten}, true, 'unknown'],
    ['that is repeated by a clock set back', used, made, {at: 0}, true, 'repeated'],
    ['with another key', used, made, {idempotencyHash: hashSecret('x')}, true, 'used'],
    ['without a key', used, made, {idempotencyHash: null}, true, 'used'],
    ['without a key by a clock set back', used, made, {idempotencyHash: null, at: 0}, true, 'used'],
    ['with another name', used, {...made, name: 'db'}, {}, true, 'used'],
    ['of a removed connector', used, undefined, {}, true, 'used'],
    ['of a connector with a revoked key', used, {...made, ...revoked}, {}, true, 'used'],
    ['of a connector with another key', used, {...made, keyHash: 'x'}, {}, true, 'used'],
    ['with a token for a new key', reissue, waiting, {}, false, 'reissued'],
    ['for a new key of a revoked one', reissue, {...waiting, ...revoked}, {}, true, 'reissued'],
    ['for a new key at the expiry', reissue, waiting, {at: 2000}, true, 'expired'],
    ['after another token for it', reissue, {...waiting, reissueHash: 'x'}, {}, true, 'used'],
    ['after its token ended', reissue, {...waiting, reissueHash: null}, {at: 2000}, true, 'used'],
    ['for a new key of a removed one', reissue, undefined, {}, true, 'used'],
  ] as const) {
    it(`${what} is ${outcome}`, () => {
      const {answer, write} = redeemToken(token, bound, {...attempt, ...changed}, hasRoom);
      expect(answer.outcome).to.equal(outcome);
      const writes = outcome === 'redeemed' || outcome === 'reissued';
      expect(Object.keys(write)).to.deep.equal(writes ? ['tokens', 'connectors'] : []);
    });
  }

  it('repeats for the very attempt that used the token, without an Idempotency-Key and at any time', () => {
    const redemption = {at: 500, attemptId: 'con_1', idempotencyHash: null};
    const connector = {...attempt.connector, id: 'con_1'};
    const again = {...attempt, connector, idempotencyHash: null, at: 3000};
    for (const reissues of [null, 'con_1']) {
      const {answer} = redeemToken({...fresh, reissues, redemption}, made, again, true);
      expect(answer.outcome).to.equal('repeated');
    }
  });

  it('for a new key keeps the connector, takes the name, and ends the old key and a revocation', () => {
    const senders = {last: 'one', since: 1, earlier: null, sharedAt: null};
    const bound = {...waiting, ...revoked, name: 'old', lastHeartbeatAt: 800, senders};
    const {answer, write} = redeemToken(reissue, bound, attempt, true);
    const connector = {...made, lastHeartbeatAt: 800, endedKeyHash: waiting.keyHash};
    expect(answer).to.deep.equal({outcome: 'reissued', connector});
    const redemption = {at: 1000, attemptId: 'con_2', idempotencyHash};
    expect(write).to.deep.equal({tokens: [{...reissue, redemption}], connectors: [connector]});
  });
});

describe('a token for a new key of a connector', () => {
  const request = {connectorId: 'con_1', tokenHash: fresh.hash, createdAt: 0, expiresAt: 2000};

  it('is the only one that is open, and changes nothing else', () => {
    const {answer, write} = reissueToken(
      {...made, reissueHash: 'earlier'},
      {...request, revocation: null},
    );
    expect(answer).to.deep.equal({...made, reissueHash: fresh.hash});
    expect(write).to.deep.equal({tokens: [reissue], connectors: [answer]});
    expect(reissueToken(undefined, {...request, revocation: null}).write).to.deep.equal({});
  });

  it('can revoke the old key at once, and a revocation ends it, also a second one', () => {
    const {answer} = reissueToken(made, {...request, revocation: {reason: 'stolen'}});
    expect(answer).to.include({revokedAt: 0, revocationReason: 'stolen', reissueHash: fresh.hash});
    const again = revokeConnector(answer, 5, 'again');
    expect(again.answer).to.deep.equal({...answer, reissueHash: null});
    expect(revokeConnector(again.answer, 6, 'more')).to.deep.equal({
      answer: again.answer,
      write: {},
    });
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
