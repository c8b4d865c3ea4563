import {expect} from 'chai';
import fc from 'fast-check';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../../src/domain/records.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {skippingClock} from '../../support/skipping-clock.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
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

/** Number of runs with failures. For a longer test: `POWER_RUNS=10000 npx mocha …`. */
const runs = Number(process.env['POWER_RUNS'] ?? 80);

const scope = {organization: 'acme'};

/** What a store has acknowledged. */
class Acknowledged {
  readonly connectors = new Map<string, ConnectorRecord>();
  readonly open = new Map<string, TokenRecord>();
  readonly used = new Set<string>();
  readonly keys = new Map<string, ApiKeyRecord>();
  secret: string | undefined;
}

function open(disk: SimulatedDisk): Promise<JsonFileStore> {
  const options = {log: new RecordedLog(), now: () => start};
  const {clock} = skippingClock();
  return openJsonFileStore(disk.directory, options, {files: disk.files, clock});
}

async function activateAndRevoke(store: JsonFileStore, acknowledged: Acknowledged): Promise<void> {
  const token = sampleToken();
  await store.createToken(token);
  acknowledged.open.set(token.hash, token);
  const attempt = sampleAttempt(token);
  acknowledged.open.delete(token.hash);
  const {outcome} = await store.redeemToken(attempt);
  expect(outcome).to.equal('redeemed');
  acknowledged.used.add(token.hash);
  const {id} = attempt.connector;
  acknowledged.connectors.set(id, activated(attempt));
  for (let count = 2; count < 8; count += 1) {
    const record = await store.recordHeartbeat(id, start + count * minute, scope);
    if (record !== undefined) acknowledged.connectors.set(id, record);
  }
  // Until it is acknowledged, the connector may or may not be revoked.
  acknowledged.connectors.delete(id);
  const revoked = await store.revokeConnector(id, start + 9 * minute, 'lost');
  if (revoked !== undefined) acknowledged.connectors.set(id, revoked);
}

async function makeKeys(store: JsonFileStore, acknowledged: Acknowledged): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const key = sampleApiKey();
    await store.createApiKey(key);
    acknowledged.keys.set(key.id, key);
    const token = sampleToken();
    await store.createToken(token);
    acknowledged.open.set(token.hash, token);
  }
  for (const id of [...acknowledged.keys.keys()].slice(0, 2)) {
    acknowledged.keys.delete(id);
    const revoked = await store.revokeApiKey(id, start + minute, null);
    if (revoked !== undefined) acknowledged.keys.set(id, revoked);
  }
}

/** Opens the store twice, each time with traffic and a compaction. */
async function work(disk: SimulatedDisk, acknowledged: Acknowledged): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    const store = await open(disk);
    acknowledged.secret = Buffer.from(store.serverSecret).toString('hex');
    await Promise.all([
      ...Array.from({length: 6}, () => activateAndRevoke(store, acknowledged)),
      makeKeys(store, acknowledged),
      store.compact(),
    ]);
    await store.close();
  }
}

async function verify(disk: SimulatedDisk, acknowledged: Acknowledged): Promise<void> {
  const store = await open(disk);
  if (acknowledged.secret !== undefined) {
    expect(Buffer.from(store.serverSecret).toString('hex')).to.equal(acknowledged.secret);
  }
  for (const connector of acknowledged.connectors.values()) {
    const found = await store.findConnector(connector.id, scope);
    expect(found?.lastHeartbeatAt ?? 0).to.be.at.least(connector.lastHeartbeatAt ?? 0);
    expect({...found, lastHeartbeatAt: 0}).to.deep.equal({...connector, lastHeartbeatAt: 0});
  }
  for (const key of acknowledged.keys.values()) {
    expect(await store.findApiKey(key.hash)).to.deep.equal(key);
  }
  for (const hash of acknowledged.used) {
    expect((await store.redeemToken(sampleAttempt({hash}))).outcome).to.equal('used');
  }
  for (const token of acknowledged.open.values()) {
    expect((await store.redeemToken(sampleAttempt(token))).outcome).to.equal('redeemed');
  }
  await store.close();
}

describe('a JSON file store after a power failure or a kill', () => {
  it('holds everything acknowledged, at any file call, with any unsynced data lost', async function () {
    this.timeout(runs * 3000);
    const rehearsal = new SimulatedDisk('/store');
    await work(rehearsal, new Acknowledged());
    const failures = fc.tuple(
      fc.integer({min: 1, max: rehearsal.calls}),
      fc.constantFrom('power failure', 'kill'),
    );
    await fc.assert(
      fc.asyncProperty(
        // It fails again after the restart, perhaps during the start.
        fc.array(failures, {minLength: 2, maxLength: 3}),
        fc.infiniteStream(fc.double({min: 0, max: 0.999, noNaN: true})),
        async (moments, numbers) => {
          const random = (): number => numbers.next().value;
          const acknowledged = new Acknowledged();
          let disk = new SimulatedDisk('/store');
          for (const [call, failure] of moments) {
            disk.failAt(call, random, failure);
            await work(disk, acknowledged).catch((error: unknown) =>
              expect(error).to.be.instanceOf(StoreError),
            );
            disk = disk.restart();
          }
          await verify(disk, acknowledged);
        },
      ),
      {numRuns: runs},
    );
  });

  it('keeps what it showed after a kill, if a power failure follows', async () => {
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
