import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type JsonFileInternals, openJsonFileStore} from '../../../src/store/json-file/open.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import type {StoreLog} from '../../../src/store/store.js';
import {activate, minute, start} from '../store/samples.js';

/** One thing that a store told its log. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: Record<string, unknown>;
  readonly message: string;
}

/** A log that keeps what it is told. */
export function recordingLog(entries: LogEntry[]): StoreLog {
  const note =
    (level: LogEntry['level']) =>
    (details: object, message: string): void => {
      entries.push({level, details: {...details}, message});
    };
  return {debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error')};
}

/** A directory for a store that does not exist yet, with a clock that the test sets. */
export class StoreDirectory {
  readonly log: LogEntry[] = [];
  /** Milliseconds since the Unix epoch. */
  now = start;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async make(prefix = 'connectorctl-store-'): Promise<StoreDirectory> {
    return new StoreDirectory(await mkdtemp(path.join(os.tmpdir(), prefix)));
  }

  /** The store's directory. */
  get path(): string {
    return path.join(this.#root, 'store');
  }

  /** The path of one of the store's files. */
  file(name: string): string {
    return path.join(this.path, name);
  }

  open(internals?: JsonFileInternals): Promise<JsonFileStore> {
    const log = recordingLog(this.log);
    return openJsonFileStore(this.path, {log, now: () => this.now}, internals);
  }

  /** Makes a store with a snapshot and a journal of a few lines, and closes it. */
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

  /** The content of every file with records in it, by name. */
  async contents(): Promise<Record<string, string>> {
    const names = (await readdir(this.path)).filter((name) => name.includes('.json')).sort();
    const texts = await Promise.all(names.map((name) => readFile(this.file(name), 'latin1')));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
  }

  async cleanup(): Promise<void> {
    await rm(this.#root, {recursive: true, force: true});
  }
}

/** Copies a directory as an operator does. False: the copy failed, and its user was told. */
export async function copyDirectory(from: string, to: string): Promise<boolean> {
  const copying = spawn('cp', ['-a', from, to], {stdio: 'ignore'});
  const [code] = await once(copying, 'exit');
  return code === 0;
}
