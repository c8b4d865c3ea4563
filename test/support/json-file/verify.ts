import {expect} from 'chai';
import type {Store} from '../../../src/store/store.js';
import {listAll, sampleAttempt} from '../store/samples.js';
import type {Told} from './child-process.js';

const scope = {organization: 'acme'};

/** Compares a store with what its user was told: nothing lost, nothing by halves. */
export async function verify(store: Store, told: readonly Told[]): Promise<void> {
  const beats = new Map<string, number>();
  const redeemed = new Set<string>();
  const created = new Set<string>();
  for (const line of told) {
    if (line.did === 'create') created.add(line.token);
    if (line.did === 'redeem') redeemed.add(line.connectorId);
    if (line.did === 'beat') beats.set(line.connectorId, line.at);
  }
  const there = new Map((await listAll(store, 'acme')).map((record) => [record.id, record]));
  for (const id of redeemed) expect(there.has(id), `${id} was activated`).to.equal(true);
  for (const [id, at] of beats) {
    expect(there.get(id)?.lastHeartbeatAt, `${id} has beaten`).to.be.at.least(at);
  }
  for (const line of told) {
    if (line.did !== 'begin') continue;
    const connector = await store.findConnector(line.connectorId, scope);
    // Trying tells whether the token is there; the connector that it makes is one too many from here on.
    const {outcome} = await store.redeemToken(sampleAttempt({hash: line.token}));
    if (connector !== undefined) expect(outcome, line.token).to.equal('used');
    else if (created.has(line.token)) expect(outcome, line.token).to.equal('redeemed');
    else expect(outcome, line.token).to.be.oneOf(['redeemed', 'unknown']);
  }
}
