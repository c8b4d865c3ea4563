import {expect} from 'chai';
import type {Store} from '../../../src/store/store.js';
import {listAll, sampleAttempt} from '../store/samples.js';
import type {Report} from './child-process.js';

const scope = {organization: 'acme'};

/** Checks that a store has every reported change, and no incomplete activation. */
export async function verify(store: Store, reports: readonly Report[]): Promise<void> {
  const heartbeats = new Map<string, number>();
  const redeemed = new Set<string>();
  const created = new Set<string>();
  for (const line of reports) {
    if (line.did === 'create') created.add(line.token);
    if (line.did === 'redeem') redeemed.add(line.connectorId);
    if (line.did === 'heartbeat') heartbeats.set(line.connectorId, line.at);
  }
  const there = new Map((await listAll(store, 'acme')).map((record) => [record.id, record]));
  for (const id of redeemed) expect(there.has(id), `${id} was activated`).to.equal(true);
  for (const [id, at] of heartbeats) {
    expect(there.get(id)?.lastHeartbeatAt, `${id} sent a heartbeat`).to.be.at.least(at);
  }
  for (const line of reports) {
    if (line.did !== 'begin') continue;
    const connector = await store.findConnector(line.connectorId, scope);
    // An attempt shows whether the token exists. The connector that it creates is never checked.
    const {outcome} = await store.redeemToken(sampleAttempt({hash: line.token}));
    if (connector !== undefined) expect(outcome, line.token).to.equal('used');
    else if (created.has(line.token)) expect(outcome, line.token).to.equal('redeemed');
    else expect(outcome, line.token).to.be.oneOf(['redeemed', 'unknown']);
  }
}
