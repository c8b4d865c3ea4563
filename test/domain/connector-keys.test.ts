import {expect} from 'chai';
import {
  createFirstApiKey,
  firstKey,
  recordKeyUse,
  revokeApiKey,
  revokeConnector,
  validityOf,
} from '../../src/domain/activation.js';
import type {ConnectorRecord} from '../../src/domain/records.js';
import {removeConnectors} from '../../src/domain/removal.js';
import {hashSecret} from '../../src/domain/secret.js';
import {sampleApiKey} from '../support/store/samples.js';

const connector: ConnectorRecord = {
  id: 'con_1',
  organization: 'acme',
  name: 'web',
  keyHash: hashSecret('own'),
  activatedAt: 0,
  lastHeartbeatAt: 5,
  ...firstKey,
  endedKeyHash: hashSecret('ended'),
};
const revoked = {...connector, revokedAt: 5, revocationReason: 'lost'};
const unchanged = <Answer>(answer: Answer) => ({answer, write: {}});

describe('a connector', () => {
  for (const [who, scope, record, sees, records] of [
    ['its organization', {organization: 'acme'}, connector, true, true],
    ['its organization after a revocation', {organization: 'acme'}, revoked, true, true],
    ['another organization', {organization: 'Acme'}, connector, false, false],
    ['its own key', {keyHash: connector.keyHash}, connector, true, true],
    ['its revoked key', {keyHash: connector.keyHash}, revoked, true, false],
    ['a key that was replaced', {keyHash: hashSecret('ended')}, connector, true, false],
    ['the key of another connector', {keyHash: hashSecret('other')}, connector, false, false],
    ['an empty key', {keyHash: ''}, connector, false, false],
  ] as const) {
    it(`is ${sees ? '' : 'not '}visible to ${who}, whose heartbeats ${records ? 'count' : 'are refused'}`, () => {
      const found = validityOf(record, scope);
      expect([found !== 'unknown', found === 'valid']).to.deep.equal([sees, records]);
    });
  }

  it('whose key is revoked keeps the time and the reason', () => {
    const {answer, write} = revokeConnector(connector, 5, 'lost');
    expect([answer, write]).to.deep.equal([revoked, {connectors: [revoked]}]);
    expect(revokeConnector(revoked, 9, 'again')).to.deep.equal(unchanged(revoked));
    expect(revokeConnector(undefined, 5, null)).to.deep.equal(unchanged(undefined));
  });

  it('is removed as silent only if it sent a heartbeat, and none since a time', () => {
    const never = {...connector, id: 'con_2', lastHeartbeatAt: null};
    const removed = (before: number | null) =>
      removeConnectors([connector, never], before).write.removed;
    expect(removed(null)).to.deep.equal(['con_1', 'con_2']);
    expect(removed(6)).to.deep.equal(['con_1']);
    expect(removed(5)).to.deep.equal([]);
  });
});

describe('an API key', () => {
  const key = sampleApiKey();

  it('that is revoked keeps the time and the reason', () => {
    const answer = {...key, revokedAt: 5, revocationReason: 'left'};
    expect(revokeApiKey(key, 5, 'left')).to.deep.equal({answer, write: {apiKeys: [answer]}});
    expect(revokeApiKey(answer, 9, 'again')).to.deep.equal(unchanged(answer));
    expect(revokeApiKey(undefined, 5, null)).to.deep.equal(unchanged(undefined));
  });

  it('has the latest time of use', () => {
    const used = {...key, lastUsedAt: 9};
    expect(recordKeyUse(key, 9).write).to.deep.equal({apiKeys: [used]});
    for (const at of [7, 9]) expect(recordKeyUse(used, at).write).to.deep.equal({});
    expect(recordKeyUse(undefined, 9).write).to.deep.equal({});
  });

  it('is the first of a store only without another', () => {
    expect(createFirstApiKey(key, false)).to.deep.equal({answer: true, write: {apiKeys: [key]}});
    expect(createFirstApiKey(key, true)).to.deep.equal(unchanged(false));
  });
});
