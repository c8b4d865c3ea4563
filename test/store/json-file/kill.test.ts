import {expect} from 'chai';
import type {Store} from '../../../src/store/store.js';
import {listAll, sampleAttempt} from '../samples.js';
import {Children, type Told} from './child-process.js';
import {StoreFolder} from './fixture.js';

/** How many processes are killed at random moments; more by hand: `KILL_ROUNDS=500 npx mocha …`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 8);

const scope = {organization: 'acme'};

/** Compares a store with what its user was told: nothing lost, nothing by halves. */
async function verify(store: Store, told: readonly Told[]): Promise<void> {
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

describe('a JSON file store whose process is killed', () => {
  let children: Children;
  let folder: StoreFolder;

  before(async () => {
    children = await Children.prepare();
  });

  beforeEach(async () => {
    folder = await StoreFolder.make();
  });

  afterEach(async () => {
    await folder.cleanup();
  });

  after(async () => {
    await children.remove();
  });

  it(`holds all that was acknowledged, ${rounds} times, at random moments`, async function () {
    this.timeout(rounds * 5000);
    for (let round = 0; round < rounds; round += 1) {
      const child = children.start({folder: folder.path, prefix: `round-${round}`});
      await child.tells(1 + Math.floor(Math.random() * 6000));
      await child.kill();
      expect(child.told[0]?.did).to.equal('open');
      const store = await folder.open();
      await verify(store, child.told);
      await store.close();
    }
  });

  const compaction = [
    {call: 'open', file: 'journal-000002.jsonl'},
    {call: 'handle.datasync', file: 'journal-000002.jsonl'},
    {call: 'open', file: 'snapshot-000002.jsonl.tmp'},
    {call: 'handle.writeFile', file: 'snapshot-000002.jsonl.tmp'},
    {call: 'handle.sync', file: 'snapshot-000002.jsonl.tmp'},
    {call: 'rename', file: 'snapshot-000002.jsonl'},
    {call: 'rm', file: 'journal-000001.jsonl'},
  ];
  for (const dieAt of compaction) {
    it(`holds all that was acknowledged when it dies before ${dieAt.call} of ${dieAt.file}`, async () => {
      const first = children.start({folder: folder.path, prefix: 'first'});
      await first.tells(500);
      await first.kill();
      const second = children.start({folder: folder.path, prefix: 'second', compact: true, dieAt});
      expect(await second.ended()).to.equal('SIGKILL');
      expect(second.told[0]?.did).to.equal('open');
      const store = await folder.open();
      await verify(store, [...first.told, ...second.told]);
      await store.compact();
      await store.close();
      const names = Object.keys(await folder.contents());
      expect(names.filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
      expect(names).to.have.length(3);
      const again = await folder.open();
      await verify(again, []);
      await again.close();
    });
  }
});
