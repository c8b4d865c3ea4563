import {expect} from 'chai';
import fc from 'fast-check';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../../src/domain/records.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {
  activate,
  activated,
  listAll,
  minute,
  sampleApiKey,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';

/** How often the power fails; more by hand: `POWER_RUNS=10000 npx mocha …`. */
const runs = Number(process.env['POWER_RUNS'] ?? 80);

const scope = {organization: 'acme'};

/** What the user of a store was told. */
class Acknowledged {
  readonly connectors = new Map<string, ConnectorRecord>();
  readonly open = new Map<string, TokenRecord>();
  readonly spent = new Set<string>();
  readonly keys = new Map<string, ApiKeyRecord>();
  secret: string | undefined;
}

function open(disk: SimulatedDisk): Promise<JsonFileStore> {
  const log = {debug() {}, info() {}, warn() {}, error() {}};
  return openJsonFileStore(disk.directory, {log, now: () => start}, {files: disk.files});
}

async function activateAndBeat(store: JsonFileStore, told: Acknowledged): Promise<void> {
  const token = sampleToken();
  await store.createToken(token);
  told.open.set(token.hash, token);
  const attempt = sampleAttempt(token);
  told.open.delete(token.hash);
  const {outcome} = await store.redeemToken(attempt);
  expect(outcome).to.equal('redeemed');
  told.spent.add(token.hash);
  const {id} = attempt.connector;
  told.connectors.set(id, activated(attempt));
  for (let beat = 2; beat < 8; beat += 1) {
    const record = await store.recordHeartbeat(id, start + beat * minute, scope);
    if (record !== undefined) told.connectors.set(id, record);
  }
  // Until it is answered it may be either.
  told.connectors.delete(id);
  const revoked = await store.revokeConnector(id, start + 9 * minute, 'lost');
  if (revoked !== undefined) told.connectors.set(id, revoked);
}

async function makeKeys(store: JsonFileStore, told: Acknowledged): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const key = sampleApiKey();
    await store.createApiKey(key);
    told.keys.set(key.id, key);
    const token = sampleToken();
    await store.createToken(token);
    told.open.set(token.hash, token);
  }
  for (const id of [...told.keys.keys()].slice(0, 2)) {
    told.keys.delete(id);
    const revoked = await store.revokeApiKey(id, start + minute);
    if (revoked !== undefined) told.keys.set(id, revoked);
  }
}

/** A day's work: two runs of a store, each with a compaction beside the traffic. */
async function work(disk: SimulatedDisk, told: Acknowledged): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    const store = await open(disk);
    told.secret = Buffer.from(store.serverSecret).toString('hex');
    await Promise.all([
      ...Array.from({length: 6}, () => activateAndBeat(store, told)),
      makeKeys(store, told),
      store.compact(),
    ]);
    await store.close();
  }
}

async function verify(disk: SimulatedDisk, told: Acknowledged): Promise<void> {
  const store = await open(disk);
  if (told.secret !== undefined) {
    expect(Buffer.from(store.serverSecret).toString('hex')).to.equal(told.secret);
  }
  for (const connector of told.connectors.values()) {
    const found = await store.findConnector(connector.id, scope);
    expect(found?.lastHeartbeatAt ?? 0).to.be.at.least(connector.lastHeartbeatAt ?? 0);
    expect({...found, lastHeartbeatAt: 0}).to.deep.equal({...connector, lastHeartbeatAt: 0});
  }
  for (const key of told.keys.values()) {
    expect(await store.findApiKey(key.hash)).to.deep.equal(key);
  }
  for (const hash of told.spent) {
    expect((await store.redeemToken(sampleAttempt({hash}))).outcome).to.equal('used');
  }
  for (const token of told.open.values()) {
    expect((await store.redeemToken(sampleAttempt(token))).outcome).to.equal('redeemed');
  }
  await store.close();
}

describe('a JSON file store whose machine loses power', () => {
  it('holds all that was acknowledged, at any file call, whatever was not synced', async function () {
    this.timeout(runs * 1000);
    const rehearsal = new SimulatedDisk('/store');
    await work(rehearsal, new Acknowledged());
    const failures = fc.tuple(
      fc.integer({min: 1, max: rehearsal.calls}),
      fc.constantFrom('power failure', 'kill'),
    );
    await fc.assert(
      fc.asyncProperty(
        // It fails again after the restart, maybe in the middle of starting.
        fc.array(failures, {minLength: 2, maxLength: 3}),
        fc.infiniteStream(fc.double({min: 0, max: 0.999, noNaN: true})),
        async (moments, numbers) => {
          const random = (): number => numbers.next().value;
          const told = new Acknowledged();
          let disk = new SimulatedDisk('/store');
          for (const [call, failure] of moments) {
            disk.failAt(call, random, failure);
            await work(disk, told).catch((error: unknown) =>
              expect(error).to.be.instanceOf(StoreError),
            );
            disk = disk.restart();
          }
          await verify(disk, told);
        },
      ),
      {numRuns: runs},
    );
  });

  it('holds all that it showed after a kill, at any file call, when nothing more was synced', async () => {
    const rehearsal = new SimulatedDisk('/store');
    await work(rehearsal, new Acknowledged());
    for (let call = 1; call <= rehearsal.calls; call += 1) {
      const killed = new SimulatedDisk('/store');
      killed.failAt(call, () => 0, 'kill');
      await work(killed, new Acknowledged()).catch((error: unknown) =>
        expect(error).to.be.instanceOf(StoreError),
      );
      const disk = killed.restart();
      disk.failAt(Number.POSITIVE_INFINITY, () => 0.999);
      const shown = await open(disk);
      await activate(shown);
      const connectors = await listAll(shown, 'acme');
      const keys = await shown.listApiKeys();
      const store = await open(disk.restart());
      expect(await listAll(store, 'acme'), `killed at call ${call}`).to.deep.equal(connectors);
      expect(await store.listApiKeys()).to.deep.equal(keys);
    }
  });
});
