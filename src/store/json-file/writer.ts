import {setImmediate} from 'node:timers/promises';
import type {ApiKeyRecord, Changes, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Bounds, StoreError, Transaction} from '../store.js';
import {fileError} from './directory.js';
import {BrokenFileError} from './log.js';
import type {Line, State} from './state.js';
import {UsageTable} from './usage.js';

/** Decided changes, to be written as one line. Until they are written, only reads through the batch see them. */
class Batch implements Transaction {
  readonly #state: State;
  readonly #bounds: Bounds | undefined;
  readonly #apiKeys = new Map<string, ApiKeyRecord>();
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #connectors = new Map<string, ConnectorRecord>();
  readonly #heartbeats = new Map<string, number>();
  readonly #removed = new Set<string>();
  /** The record counts, including the changes of the batch. */
  readonly #usage: UsageTable;

  constructor(state: State, bounds: Bounds | undefined) {
    this.#state = state;
    this.#bounds = bounds;
    this.#usage = new UsageTable(state.usage);
  }

  apiKey(id: string): ApiKeyRecord | undefined {
    return this.#apiKeys.get(id) ?? this.#state.apiKeys.get(id);
  }

  hasApiKeys(): boolean {
    return this.#apiKeys.size + this.#state.apiKeys.size > 0;
  }

  token(hash: string): TokenRecord | undefined {
    return this.#tokens.get(hash) ?? this.#state.tokens.get(hash);
  }

  connector(id: string): ConnectorRecord | undefined {
    if (this.#removed.has(id)) return undefined;
    const connector = this.#connectors.get(id) ?? this.#state.connectors.get(id);
    const at = this.#heartbeats.get(id);
    if (connector === undefined || at === undefined) return connector;
    return {...connector, lastHeartbeatAt: Math.max(at, connector.lastHeartbeatAt ?? at)};
  }

  connectors(ids: readonly string[]): ConnectorRecord[] {
    return [...new Set(ids)].flatMap((id) => this.connector(id) ?? []);
  }

  hasRoom(organization: string, kind: keyof Bounds): boolean {
    return !this.#bounds || this.#usage.of(organization)[kind] < this.#bounds[kind];
  }

  write({apiKeys = [], tokens = [], connectors = [], removed = []}: Changes): void {
    for (const key of apiKeys) this.#apiKeys.set(key.id, key);
    for (const token of tokens) {
      this.#usage.replace(this.token(token.hash), token);
      this.#tokens.set(token.hash, token);
    }
    for (const connector of connectors) {
      this.#usage.replace(this.connector(connector.id), connector);
      this.#connectors.set(connector.id, connector);
    }
    for (const id of removed) {
      this.#usage.replace(this.connector(id), undefined);
      this.#connectors.delete(id);
      this.#heartbeats.delete(id);
      this.#removed.add(id);
    }
  }

  /** Records a heartbeat. @returns the connector's latest time in the batch; undefined if the connector was removed */
  heartbeat(id: string, at: number): number | undefined {
    const isThere = this.#connectors.has(id) || this.#state.connectors.has(id);
    if (!isThere || this.#removed.has(id)) return undefined;
    const latest = Math.max(at, this.#heartbeats.get(id) ?? at);
    this.#heartbeats.set(id, latest);
    return latest;
  }

  /** The line to write, without empty members. */
  get line(): Line {
    const line = {
      apiKeys: [...this.#apiKeys.values()],
      tokens: [...this.#tokens.values()],
      connectors: [...this.#connectors.values()],
      heartbeats: [...this.#heartbeats],
      removed: [...this.#removed],
    };
    return Object.fromEntries(Object.entries(line).filter(([, records]) => records.length > 0));
  }
}

/** The file of a store, which makes lines durable. */
export interface Disk {
  /** Writes and syncs a line. @throws StoreError with nothing written; BrokenFileError if the file's end is unknown */
  append(line: Line): Promise<void>;
  /** Called after the line is applied to the state. */
  applied(line: Line): void;
  /** The length in bytes. */
  readonly length: number;
  verifyLock(): Promise<void>;
  compact(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A write with its sync costs as much CPU time as several requests. So a batch whose first change came during a write
 * waits for more changes, as with PostgreSQL's `commit_delay` and `commit_siblings`: until it has this many, or until
 * this long after the last batch began.
 */
const company = {changes: 16, milliseconds: 4} as const;

/** A change that waits to be decided and written. */
interface PendingChange<Answer = unknown> {
  readonly decide: (batch: Batch) => Answer | Promise<Answer>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Decides changes and writes them. Changes that arrive in one turn of the event loop, or while the disk is busy, become
 * one line, with one write and one sync. The changes are decided in memory, one after the other, just before the write,
 * and applied to the state after it.
 */
export class Writer {
  readonly #state: State;
  readonly #bounds: Bounds | undefined;
  readonly #disk: Disk;
  readonly #now: () => number;
  readonly #calls: PendingChange[] = [];
  /** The earliest start of the next batch, in milliseconds on the monotonic clock; 0 while nothing is written. */
  #earliest = 0;
  /** Ends the wait of a batch for more changes. */
  #endWait = (): void => {};
  /** Settles when the latest batch or pause ends. */
  #last: Promise<unknown> = Promise.resolve();
  /** The failure of the last write; a `BrokenFileError` refuses all later writes. */
  #failure: StoreError | undefined;

  constructor(state: State, bounds: Bounds | undefined, disk: Disk, now: () => number) {
    this.#state = state;
    this.#bounds = bounds;
    this.#disk = disk;
    this.#now = now;
  }

  /**
   * Decides a change, writes it, and returns the answer. `decide` must not wait for anything outside the batch.
   *
   * @throws StoreError when the change may not be durable; the state is then unchanged
   */
  write<Answer>(decide: (tx: Batch) => Answer | Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call: PendingChange<Answer> = {decide, resolve, reject};
      this.#calls.push(call);
      if (this.#calls.length === company.changes) this.#endWait();
      if (this.#calls.length > 1) return;
      const earliest = this.#earliest;
      void this.pause(() => this.#writeBatch(earliest));
    });
  }

  /** Runs work between two batches, while nothing is written. */
  pause<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch((error: unknown) => {
      if (error instanceof BrokenFileError) this.#failure = error;
    });
    return result;
  }

  /**
   * Rejects while writes fail. After a failure it writes a line without records, to find out whether writes work again.
   */
  async check(): Promise<void> {
    if (this.#failure instanceof BrokenFileError) throw this.#failure;
    if (this.#failure !== undefined) await this.pause(() => this.#append({heartbeats: []}));
  }

  /** @param earliest time on the monotonic clock */
  async #writeBatch(earliest: number): Promise<void> {
    const early = earliest - performance.now();
    if (early > 0 && this.#calls.length < company.changes) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#endWait = resolve;
        timer = setTimeout(resolve, early);
      });
      clearTimeout(timer);
    }
    // Changes from the same turn of the event loop join the batch.
    await setImmediate();
    this.#earliest = performance.now() + company.milliseconds;
    this.#state.settle(this.#now());
    const batch = new Batch(this.#state, this.#bounds);
    const decided: {readonly call: PendingChange; readonly answer: unknown}[] = [];
    for (const call of this.#calls.splice(0)) {
      try {
        const answer = call.decide(batch);
        // Heartbeats, the most frequent changes, return no promise: an `await` for each would slow them down.
        decided.push({call, answer: answer instanceof Promise ? await answer : answer});
      } catch (error) {
        call.reject(error);
      }
    }
    try {
      const {line} = batch;
      if (Object.keys(line).length > 0) await this.#append(line);
      for (const {call, answer} of decided) call.resolve(answer);
    } catch (error) {
      // Decisions without changes fail too, because they may depend on the other changes of the batch.
      for (const {call} of decided) call.reject(error);
    }
    this.#earliest = 0;
  }

  async #append(line: Line): Promise<void> {
    if (this.#failure instanceof BrokenFileError) throw this.#failure;
    try {
      await this.#disk.append(line);
    } catch (error) {
      this.#failure = fileError('writing failed', error);
      throw this.#failure;
    }
    this.#failure = undefined;
    this.#state.apply(line);
    this.#disk.applied(line);
  }
}
