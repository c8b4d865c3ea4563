import {rmSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openJsonFileStore} from '../../store/json-file/open.js';
import type {Store, StoreOptions} from '../../store/store.js';

/** Makes a directory for the stores of one sandbox, removed when the process exits, or earlier. */
export async function makeTemporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'connectorctl-sandbox-'));
  const removeNow = () => rmSync(path, {force: true, recursive: true});
  process.once('exit', removeNow);
  return {
    path,
    async remove(): Promise<void> {
      process.off('exit', removeNow);
      await rm(path, {force: true, recursive: true, maxRetries: 3});
    },
  };
}

/** The store of a sandbox, which can be cleared while the service uses it. */
export interface SandboxStore {
  readonly store: Store;
  /** Replaces the store with a new one that keeps only its API keys. */
  empty(): Promise<void>;
}

/** Opens JSON file stores one by one in a directory, and forwards calls to the latest. */
export async function openSandboxStore(
  directory: string,
  options: StoreOptions,
  serverSecret: Uint8Array,
): Promise<SandboxStore> {
  let number = 0;
  const path = () => join(directory, `store-${number}`);
  const open = () => {
    number += 1;
    return openJsonFileStore(path(), options, {serverSecret});
  };
  let current: Store = await open();
  const store = new Proxy({} as Store, {
    get(_, name) {
      const value: unknown = Reflect.get(current, name, current);
      return typeof value === 'function' ? value.bind(current) : value;
    },
  });
  return {
    store,
    async empty() {
      const old = current;
      const oldPath = path();
      const next = await open();
      for (const key of await old.listApiKeys()) await next.createApiKey(key);
      current = next;
      await old.close();
      await rm(oldPath, {force: true, recursive: true});
    },
  };
}
