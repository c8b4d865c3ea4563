import {expect} from 'chai';
import pLimit from 'p-limit';
import {hashSecret} from '../../../src/domain/secret.js';
import type {Store} from '../../../src/store/store.js';
import {type Report, startChild} from '../../support/json-file/child-process.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {listAll, sampleAttempt, sampleToken} from '../../support/store/samples.js';

const scope = {organization: 'acme'};

/** Kills at random moments. For a longer run: `KILL_ROUNDS=500 npx mocha …`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 8);

describe('a JSON file store whose process is killed', () => {
  const directory = useStoreDirectory();

  it(`holds all that was acknowledged after ${rounds} kills at random moments`, async function () {
    this.timeout(rounds * 15_000);
    for (let round = 0; round < rounds; round += 1) {
      const child = startChild({directory: directory.path, prefix: `round-${round}`});
      await child.waitForReports(1 + Math.floor(Math.random() * 6000));
      await child.kill();
      expect(child.reports[0]?.did).to.equal('open');
      const store = await directory.open();
      await verify(store, child.reports);
      await store.close();
    }
  });

  it('has removed each batch of 10,000 connectors as a whole or not at all, with its tokens, and a repeat removes the rest', async function () {
    this.timeout(120_000);
    const idempotencyHash = hashSecret('once');
    const store = await directory.open();
    const tokens = new Map<string, string>();
    const limit = pLimit(1000);
    const activate = async () => {
      const token = sampleToken();
      await store.createToken(token);
      const attempt = sampleAttempt(token, {idempotencyHash});
      await store.redeemToken(attempt);
      tokens.set(attempt.connector.id, token.hash);
    };
    await Promise.all(Array.from({length: 10_000}, () => limit(activate)));
    await store.close();
    const ids = [...tokens.keys()].sort();
    const batches = Array.from({length: 20}, (_, at) => ids.slice(at * 500, at * 500 + 500));
    let left = 20;
    while (left > 0) {
      const child = startChild({directory: directory.path, prefix: 'removal', removes: true});
      await child.waitForReports(2 + Math.floor(Math.random() * 8));
      await child.kill();
      const reported = child.reports.flatMap((line) => (line.did === 'remove' ? line.ids : []));
      const again = await directory.open();
      const there = new Set((await listAll(again, 'acme')).map(({id}) => id));
      expect(reported.filter((id) => there.has(id))).to.deep.equal([]);
      const whole = batches.filter((batch) => there.has(batch[0] ?? ''));
      expect(there.size).to.equal(whole.length * 500);
      expect(whole.length).to.be.below(left);
      left = whole.length;
      for (const [id, hash] of tokens) {
        const {outcome} = await again.redeemToken(sampleAttempt({hash}, {idempotencyHash}));
        expect(outcome).to.equal(there.has(id) ? 'repeated' : 'used');
      }
      await again.close();
    }
  });
});

/** Checks that a store has every reported change, and no incomplete activation. */
async function verify(store: Store, reports: readonly Report[]): Promise<void> {
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
