/**
 * A process that uses a store until it is killed. Its argument is one JSON object; see `ChildTask`.
 * It writes one JSON line for each thing it was told is done, at once.
 */
import {nodeFiles} from '../../../src/store/json-file/files.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {sampleAttempt, sampleToken, start} from '../store/samples.js';
import type {ChildTask, Told} from './child-process.js';
import {watchedFiles} from './watched-files.js';

const task: ChildTask = JSON.parse(process.argv[2] ?? '');
const silent = {debug() {}, info() {}, warn() {}, error() {}};

function tell(told: Told): void {
  // Written at once: to a pipe, standard output is synchronous.
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** Activates one connector after another, and lets each beat. */
async function work(store: JsonFileStore, prefix: string): Promise<void> {
  for (let count = 0; ; count += 1) {
    const token = sampleToken({hash: `${prefix}-${count}`});
    const attempt = sampleAttempt(token, {connector: {id: `con_${prefix}_${count}`}});
    const connectorId = attempt.connector.id;
    tell({did: 'begin', token: token.hash, connectorId});
    await store.createToken(token);
    tell({did: 'create', token: token.hash});
    await store.redeemToken(attempt);
    tell({did: 'redeem', token: token.hash, connectorId});
    for (let beat = 1; beat <= 20; beat += 1) {
      const at = start + beat * 1000;
      await store.recordHeartbeat(connectorId, at, {organization: 'acme'});
      tell({did: 'beat', connectorId, at});
    }
  }
}

const files =
  task.dieAt === undefined
    ? nodeFiles
    : watchedFiles(({name, file}) => {
        if (name === task.dieAt?.call && file === task.dieAt.file) {
          process.kill(process.pid, 'SIGKILL');
        }
      });

try {
  const now = (): number => start;
  const store = await openJsonFileStore(task.directory, {log: silent, now}, {files});
  tell({did: 'open', pid: process.pid});
  if (task.compact) {
    await Promise.all([
      store.compact(),
      ...Array.from({length: 4}, (_, worker) => work(store, `${task.prefix}-${worker}`)),
    ]);
  }
  await Promise.all(
    Array.from({length: 16}, (_, worker) => work(store, `${task.prefix}-${worker}`)),
  );
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  tell({did: 'fail', kind: error.kind, message: error.message});
}
