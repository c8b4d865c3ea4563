import {RecordBounds} from '../../store/json-file/bounds.js';
import {MemoryStore} from '../../store/json-file/memory-store.js';
import {State} from '../../store/json-file/state/state.js';
import {Writer} from '../../store/json-file/writer.js';
import type {Store, StoreOptions} from '../../store/store.js';
import {heapLimits} from '../../system/heap.js';

/** The store of a sandbox, which can be cleared while the service uses it. */
export interface SandboxStore {
  readonly store: Store;
  /** Forgets everything but the API keys. */
  empty(): Promise<void>;
}

/** Opens the state of a JSON file store without its file. */
export function openSandboxStore(
  {bounds, now}: Pick<StoreOptions, 'bounds' | 'now'>,
  serverSecret: Uint8Array,
): SandboxStore {
  const state = new State();
  const recordBounds = bounds && new RecordBounds(bounds, heapLimits().records);
  const disk = {append: async () => {}, settled: () => state.tokens.settle(now())};
  const writer = new Writer(state, recordBounds, disk);
  return {
    store: new MemoryStore({state, writer, bounds: recordBounds, serverSecret}),
    empty: () => writer.pause(async () => state.clear()),
  };
}
