import {rmSync} from 'node:fs';
import {lstat, mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {names} from '../../store/json-file/layout.js';
import {openJsonFileStore} from '../../store/json-file/open.js';
import type {Store, StoreOptions} from '../../store/store.js';
import {ProcessLock} from '../../system/process-lock.js';

/** Beginning of the name of a sandbox's directory, and of each store in it. */
const prefixes = {sandbox: 'connectorctl-sandbox-', store: 'store-'} as const;

/** Milliseconds in which a new sandbox certainly locks its first store. */
const startTime = 60_000;

/** Makes a directory for the stores of one sandbox, removed when the process exits, or earlier. */
export async function makeTemporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), prefixes.sandbox));
  const removeNow = () => rmSync(path, {force: true, recursive: true});
  process.once('exit', removeNow);
  const stop = new AbortController();
  const cleaning = removeAbandoned(tmpdir(), stop.signal);
  return {
    path,
    async remove(): Promise<void> {
      stop.abort();
      await cleaning;
      process.off('exit', removeNow);
      await rm(path, {force: true, recursive: true, maxRetries: 3});
    },
  };
}

/** Removes the directories of this user's sandboxes that were killed, with the keys in them. Never fails. */
export async function removeAbandoned(directory: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (signal.aborted) return;
    if (!name.startsWith(prefixes.sandbox)) continue;
    // The next start tries again.
    await removeUnlessInUse(join(directory, name), signal).catch(() => {});
  }
}

/** @throws Error when a process uses a store in it */
async function removeUnlessInUse(path: string, signal: AbortSignal): Promise<void> {
  const found = await lstat(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (!isOwn || !found.isDirectory() || Date.now() - found.mtimeMs < startTime) return;
  const locks: ProcessLock[] = [];
  try {
    for (const name of await readdir(path)) {
      if (!name.startsWith(prefixes.store)) continue;
      const wait = () => {
        throw new Error('a process uses it');
      };
      const request = {label: 'removing the store', wait, signal};
      locks.push(await ProcessLock.acquire(join(path, name, names.lock), request));
    }
    await rm(path, {force: true, recursive: true, maxRetries: 3});
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** The store of a sandbox, which can be cleared while the service uses it. */
export interface SandboxStore {
  readonly store: Store;
  /** Replaces the store with a new one that keeps only its API keys. Not to be called twice at a time. */
  empty(): Promise<void>;
}

/** Opens JSON file stores one by one in a directory, and forwards calls to the latest. */
export async function openSandboxStore(
  directory: string,
  options: StoreOptions,
  serverSecret: Uint8Array,
): Promise<SandboxStore> {
  let number = 0;
  const open = async () => {
    number += 1;
    const path = join(directory, `${prefixes.store}${number}`);
    return {path, store: await openJsonFileStore(path, options, {serverSecret})};
  };
  let current = await open();
  /** Calls that have not finished. */
  const running = new Set<Promise<unknown>>();
  /** Resolves when the store has been replaced; calls wait for it, so that none is lost with the old store. */
  let replaced: Promise<void> | undefined;
  const call = (name: string | symbol, args: unknown[]): unknown => {
    const {store} = current;
    const result: unknown = Reflect.apply(Reflect.get(store, name), store, args);
    if (!(result instanceof Promise)) return result;
    const forget = () => {
      running.delete(done);
    };
    const done: Promise<void> = result.then(forget, forget);
    running.add(done);
    return result;
  };
  const store = new Proxy({} as Store, {
    get(_, name) {
      const value: unknown = Reflect.get(current.store, name, current.store);
      if (typeof value !== 'function') return value;
      // A list is no promise, but an iterable that begins at once.
      return (...args: unknown[]) =>
        replaced === undefined || name === 'listConnectors'
          ? call(name, args)
          : replaced.then(() => call(name, args));
    },
  });
  return {
    store,
    async empty() {
      let proceed = () => {};
      replaced = new Promise((resolve) => {
        proceed = resolve;
      });
      try {
        await Promise.all(running);
        const old = current;
        const next = await open();
        for (const key of await old.store.listApiKeys()) await next.store.createApiKey(key);
        current = next;
        await old.store.close();
        await rm(old.path, {force: true, recursive: true});
      } finally {
        replaced = undefined;
        proceed();
      }
    },
  };
}
