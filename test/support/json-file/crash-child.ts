/**
 * A process that uses a store until it is killed. Its argument is a `ChildTask` as JSON. It writes a
 * `Report` as one line of JSON as soon as the store acknowledges an operation.
 */

import {removalBatch} from '../../../src/domain/removal.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {listAll, sampleAttempt, sampleToken, start} from '../store/samples.js';
import type {ChildTask, Report} from './child-process.js';

const task: ChildTask = JSON.parse(process.argv[2] ?? '');
const silent = {debug() {}, info() {}, warn() {}, error() {}};

function report(line: Report): void {
  // Not buffered: standard output is synchronous when it is a pipe.
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Activates one connector after another, and sends heartbeats for each. */
async function work(store: JsonFileStore, prefix: string): Promise<void> {
  for (let number = 0; ; number += 1) {
    const token = sampleToken({hash: `${prefix}-${number}`});
    const attempt = sampleAttempt(token, {connector: {id: `con_${prefix}_${number}`}});
    const connectorId = attempt.connector.id;
    report({did: 'begin', token: token.hash, connectorId});
    await store.createToken(token);
    report({did: 'create', token: token.hash});
    await store.redeemToken(attempt);
    report({did: 'redeem', token: token.hash, connectorId});
    for (let count = 1; count <= 20; count += 1) {
      const at = start + count * 1000;
      await store.recordHeartbeat(connectorId, at, {organization: 'acme'});
      report({did: 'heartbeat', connectorId, at});
    }
  }
}

/** Removes all connectors, as many at once as a removal of many does. */
async function removeAll(store: JsonFileStore): Promise<void> {
  for (const ids of await batchesOf(store)) {
    await store.removeConnectors(ids, null);
    report({did: 'remove', ids});
  }
  await store.close();
}

async function batchesOf(store: JsonFileStore): Promise<string[][]> {
  const ids = (await listAll(store, 'acme')).map(({id}) => id);
  const batches = Math.ceil(ids.length / removalBatch);
  return Array.from({length: batches}, (_, at) =>
    ids.slice(at * removalBatch, (at + 1) * removalBatch),
  );
}

try {
  const now = (): number => start;
  const store = await openJsonFileStore(task.directory, {log: silent, now});
  report({did: 'open', pid: process.pid});
  if (task.removes) await removeAll(store);
  else
    await Promise.all(
      Array.from({length: 16}, (_, worker) => work(store, `${task.prefix}-${worker}`)),
    );
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  report({did: 'fail', kind: error.kind, message: error.message});
}
