import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type JsonFileInternals, openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {Store} from '../../../src/store/store.js';
import {start} from '../samples.js';

/** One thing that a store told its log. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: Record<string, unknown>;
  readonly message: string;
}

/** A folder for a store that does not exist yet, with a clock that the test sets. */
export class StoreFolder {
  readonly log: LogEntry[] = [];
  /** Milliseconds since the Unix epoch. */
  now = start;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async make(): Promise<StoreFolder> {
    return new StoreFolder(await mkdtemp(path.join(os.tmpdir(), 'connectorctl-store-')));
  }

  /** The store's folder. */
  get path(): string {
    return path.join(this.#root, 'store');
  }

  /** The path of one of the store's files. */
  file(name: string): string {
    return path.join(this.path, name);
  }

  open(internals?: JsonFileInternals): Promise<Store> {
    const note =
      (level: LogEntry['level']) =>
      (details: object, message: string): void => {
        this.log.push({level, details: {...details}, message});
      };
    const log = {
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    return openJsonFileStore(this.path, {log, now: () => this.now}, internals);
  }

  async cleanup(): Promise<void> {
    await rm(this.#root, {recursive: true, force: true});
  }
}
