import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type JsonFileInternals, openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import type {Bounds, Store} from '../../../src/store/store.js';
import {atEndOfTest} from '../process/at-end-of-test.js';
import {type LogEntry, RecordedLog} from '../store/recorded-log.js';
import {activate, minute, start} from '../store/samples.js';

/** A directory for a store that does not exist yet, with a clock that the test sets. */
export class StoreDirectory {
  /** Milliseconds since the Unix epoch. */
  now = start;
  bounds: Bounds | undefined;
  #log = new RecordedLog();
  #root = '';
  readonly #stores: JsonFileStore[] = [];

  static async make(): Promise<StoreDirectory> {
    const directory = new StoreDirectory();
    await directory.renew();
    return directory;
  }

  /** Starts over in a new directory, which is removed at the end of the test. */
  async renew(): Promise<void> {
    this.now = start;
    this.#log = new RecordedLog();
    this.#root = await mkdtemp(path.join(os.tmpdir(), 'connectorctl store-'));
    atEndOfTest(() => this.#cleanUp());
  }

  /** What the stores in this directory have logged. */
  get log(): readonly LogEntry[] {
    return this.#log.entries;
  }

  /** The store's directory. */
  get path(): string {
    return path.join(this.#root, 'store');
  }

  /** The path of one of the store's files. */
  file(name: string): string {
    return path.join(this.path, name);
  }

  async open(internals?: JsonFileInternals): Promise<JsonFileStore> {
    const options = {
      log: this.#log,
      now: () => this.now,
      bounds: this.bounds,
    };
    const store = await openJsonFileStore(this.path, options, internals);
    this.#stores.push(store);
    return store;
  }

  /** Closes a store of this directory and opens it again. */
  async reopen(store: Store, internals?: JsonFileInternals): Promise<JsonFileStore> {
    await store.close();
    return this.open(internals);
  }

  /** Makes a store that was compacted once, with a few lines after that, and closes it. */
  async fill(): Promise<void> {
    this.now = start + minute;
    for (let count = 0; count < 2; count += 1) {
      if (count > 0) await this.compact();
      const store = await this.open();
      await activate(store);
      await store.close();
    }
  }

  /** Opens the store, compacts it and closes it. */
  async compact(internals?: JsonFileInternals): Promise<void> {
    const store = await this.open(internals);
    await store.compact().finally(() => store.close());
  }

  /** The content of every file that holds records, by name. */
  async contents(): Promise<Record<string, string>> {
    const names = (await readdir(this.path)).filter((name) => name.includes('.json')).sort();
    const texts = await Promise.all(names.map((name) => readFile(this.file(name), 'latin1')));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
  }

  /** Removes the locks, as another process does when their owners have ended. */
  async removeLocks(): Promise<void> {
    const locks = (await readdir(this.path)).filter((name) => name.startsWith('store.lock'));
    await Promise.all(locks.map((name) => rm(this.file(name))));
  }

  /** Closes the stores that are still open and removes the directory. */
  async #cleanUp(): Promise<void> {
    await Promise.allSettled(this.#stores.splice(0).map((store) => store.close()));
    await rm(this.#root, {recursive: true, force: true});
  }
}

/** Gives each test of a suite a new directory for a store. */
export function useStoreDirectory(): StoreDirectory {
  const directory = new StoreDirectory();
  beforeEach(() => directory.renew());
  return directory;
}

/** Copies a directory as an operator does. @returns false when `cp` reports an error */
export async function copyDirectory(from: string, to: string): Promise<boolean> {
  const copying = spawn('cp', ['-a', from, to], {stdio: 'ignore'});
  const [code] = await once(copying, 'exit');
  return code === 0;
}

/** A copy with the lowest bit of one byte changed. */
export function flipped(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}
