import {expect} from 'chai';
import fc from 'fast-check';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../../src/domain/records.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {
  activate,
  activated,
  listAll,
  minute,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from '../../support/store/samples.js';
import {skippingClock} from '../../support/time/skipping-clock.js';

/** Number of runs with failures. For a longer test: `POWER_RUNS=10000 npx mocha …`. */
const runs = Number(process.env['POWER_RUNS'] ?? 80);

const scope = {organization: 'acme'};

/** What a store has acknowledged. */
class Acknowledged {
  readonly connectors = new Map<string, ConnectorRecord>();
  readonly open = new Map<string, TokenRecord>();
  readonly used = new Set<string>();
  readonly keys = new Map<string, ApiKeyRecord>();
  /** Ids of connectors that were removed. */
  readonly removed = new Set<string>();
  /** Hashes of keys of a connector, of which at least one works. */
  readonly working = new Map<string, readonly string[]>();
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
  const connector = activated(attempt);
  acknowledged.connectors.set(id, connector);
  for (let count = 2; count < 8; count += 1) {
    const record = await store.recordHeartbeat(id, start + count * minute, scope);
    acknowledged.connectors.set(id, {...connector, ...record});
  }
  // Until it is acknowledged, the connector may or may not be revoked.
  acknowledged.connectors.delete(id);
  const revoked = await store.revokeConnector(id, start + 9 * minute, 'lost');
  if (revoked !== undefined) acknowledged.connectors.set(id, revoked);
}

/** Redeems a new token; its connector is not changed by anything else. */
async function activateOne(store: JsonFileStore, acknowledged: Acknowledged) {
  const token = sampleToken();
  await store.createToken(token);
  const {connector} = (await store.redeemToken(sampleAttempt(token))) as {
    connector: ConnectorRecord;
  };
  acknowledged.used.add(token.hash);
  acknowledged.connectors.set(connector.id, connector);
  return connector;
}

/** Replaces the key of a connector, and uses the new one. */
async function reissue(store: JsonFileStore, acknowledged: Acknowledged): Promise<void> {
  const {connectors, working, used} = acknowledged;
  const {id, keyHash} = await activateOne(store, acknowledged);
  working.set(id, [keyHash]);
  const [first, second] = [sampleReissue(id), sampleReissue(id)];
  // Until it is acknowledged, the token may or may not be the one for the next key.
  connectors.delete(id);
  await store.reissueToken(first);
  const waiting = await store.reissueToken(second);
  if (waiting !== undefined) connectors.set(id, waiting);
  used.add(first.hash);
  const attempt = sampleAttempt(second, {connector: {name: 'renewed'}});
  const renewed = attempt.keyHashOf(id);
  // Until it is acknowledged, either may be the key.
  connectors.delete(id);
  working.set(id, [keyHash, renewed]);
  const result = await store.redeemToken(attempt);
  used.add(second.hash);
  if ('connector' in result) connectors.set(id, result.connector);
  working.set(id, [renewed]);
  connectors.delete(id);
  await store.recordHeartbeat(id, start + minute, {keyHash: renewed});
  const ended = await store.findConnector(id, scope);
  if (ended !== undefined) connectors.set(id, ended);
}

/** Removes a connector with an open token for a new key. */
async function remove(store: JsonFileStore, acknowledged: Acknowledged): Promise<void> {
  const {id} = await activateOne(store, acknowledged);
  const open = sampleReissue(id);
  acknowledged.connectors.delete(id);
  await store.reissueToken(open);
  await store.removeConnectors([id], null);
  acknowledged.removed.add(id);
  acknowledged.used.add(open.hash);
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
      ...Array.from({length: 4}, () => activateAndRevoke(store, acknowledged)),
      ...Array.from({length: 2}, () => reissue(store, acknowledged)),
      ...Array.from({length: 2}, () => remove(store, acknowledged)),
      makeKeys(store, acknowledged),
      store.compact(),
    ]);
    await store.close();
  }
}

/** @returns the disk after its failure */
async function workUntilFailure(
  disk: SimulatedDisk,
  acknowledged: Acknowledged,
): Promise<SimulatedDisk> {
  await work(disk, acknowledged).catch((error: unknown) =>
    expect(error).to.be.instanceOf(StoreError),
  );
  return disk.restart();
}

/** The number of file calls of all the work. */
async function countCalls(): Promise<number> {
  const rehearsal = new SimulatedDisk('/store');
  await work(rehearsal, new Acknowledged());
  return rehearsal.calls;
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
  for (const id of acknowledged.removed) {
    expect(await store.findConnector(id, scope)).to.equal(undefined);
  }
  for (const [id, hashes] of acknowledged.working) {
    const beats = hashes.map((keyHash) => store.recordHeartbeat(id, start, {keyHash}));
    expect((await Promise.all(beats)).some(Boolean), `a key of ${id} works`).to.equal(true);
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
    const calls = await countCalls();
    const failures = fc.tuple(
      fc.integer({min: 1, max: calls}),
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
            disk = await workUntilFailure(disk, acknowledged);
          }
          await verify(disk, acknowledged);
        },
      ),
      {numRuns: runs},
    );
  });

  it('holds everything acknowledged, at every file call, with all unsynced data lost', async () => {
    const calls = await countCalls();
    // All or none of the renames last.
    for (const lasting of [0, 0.999]) {
      for (let call = 1; call <= calls; call += 1) {
        const acknowledged = new Acknowledged();
        const disk = new SimulatedDisk('/store');
        const numbers: number[] = [lasting];
        disk.failAt(call, () => numbers.pop() ?? 0.999);
        await verify(await workUntilFailure(disk, acknowledged), acknowledged);
      }
    }
  });

  it('keeps what it showed after a kill, if a power failure follows', async () => {
    const calls = await countCalls();
    for (const [lasting, writes] of [
      [0, true],
      [0.999, false],
    ] as const) {
      for (let call = 1; call <= calls; call += 1) {
        const killed = new SimulatedDisk('/store');
        killed.failAt(call, () => 0, 'kill');
        const disk = await workUntilFailure(killed, new Acknowledged());
        // No sector that was not synced is kept, and all or none of the renames.
        const numbers: number[] = [lasting];
        disk.failAt(Number.POSITIVE_INFINITY, () => numbers.pop() ?? 0.999);
        const shown = await open(disk);
        if (writes) await activate(shown);
        const connectors = await listAll(shown, 'acme');
        const keys = await shown.listApiKeys();
        const store = await open(disk.restart());
        expect(await listAll(store, 'acme'), `killed at call ${call}`).to.deep.equal(connectors);
        expect(await store.listApiKeys()).to.deep.equal(keys);
      }
    }
  });
});
