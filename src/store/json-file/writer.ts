import {setImmediate} from 'node:timers/promises';
import type {StoreError} from '../store.js';
import {Batch} from './batch.js';
import type {RecordBounds} from './bounds.js';
import {fileError} from './files.js';
import {BrokenFileError} from './log-file.js';
import type {ConnectorEntry} from './state/connectors.js';
import type {Line, State} from './state/state.js';

/** Where lines become durable. */
export interface Disk {
  /** Writes and syncs a line. @throws StoreError with nothing written; BrokenFileError when the end is unknown */
  append(line: Line): Promise<void>;
  /** Called after each batch. */
  settled(): void;
}

/** A change that waits to be decided and written. */
interface Call {
  /** Decides the change. @returns the function that answers it, once it is durable */
  readonly decide: (batch: Batch) => () => void;
  readonly reject: (error: unknown) => void;
}

/** The heartbeats of the next line, for all of whose callers there is one promise. */
class WaitingHeartbeats {
  readonly beats: [connector: ConnectorEntry, at: number][] = [];
  resolve = () => {};
  reject: (error: unknown) => void = () => {};
  readonly written = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/**
 * Decides changes and writes them. Those that arrive in one turn of the event loop, or while the disk is busy, become
 * one line, with one write and one sync. They are decided one after the other just before it, in memory, and applied
 * to the state after it.
 */
export class Writer {
  readonly #state: State;
  readonly #bounds: RecordBounds | undefined;
  readonly #disk: Disk;
  readonly #calls: Call[] = [];
  #heartbeats: WaitingHeartbeats | undefined;
  #running: Promise<void> | undefined;
  readonly #pauses: (() => Promise<void>)[] = [];
  #failure: StoreError | undefined;

  constructor(state: State, bounds: RecordBounds | undefined, disk: Disk) {
    this.#state = state;
    this.#bounds = bounds;
    this.#disk = disk;
  }

  /** The reason for refusing writes: until the next one that succeeds, or for good (`BrokenFileError`). */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /**
   * Decides a change, writes it, and returns the answer.
   *
   * @throws StoreError when it is not durable; nothing has changed then
   */
  write<Answer>(decide: (tx: Batch) => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#calls.push({
        reject,
        decide(batch) {
          const answer = decide(batch);
          return () => resolve(answer);
        },
      });
      this.#start();
    });
  }

  /** Writes a heartbeat. @throws as `write` */
  heartbeat(connector: ConnectorEntry, at: number): Promise<void> {
    this.#heartbeats ??= new WaitingHeartbeats();
    this.#heartbeats.beats.push([connector, at]);
    this.#start();
    return this.#heartbeats.written;
  }

  /** Runs between two batches, while nothing is written. */
  pause<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pauses.push(() => work().then(resolve, reject));
      this.#start();
    });
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Changes from the same turn of the event loop join the first batch.
    await setImmediate();
    while (this.#calls.length > 0 || this.#heartbeats !== undefined || this.#pauses.length > 0) {
      for (const pause of this.#pauses.splice(0)) await pause();
      await this.#writeBatch();
      this.#disk.settled();
    }
    this.#running = undefined;
  }

  async #writeBatch(): Promise<void> {
    const batch = new Batch(this.#state, this.#bounds);
    const waiting = this.#heartbeats;
    this.#heartbeats = undefined;
    for (const [connector, at] of waiting?.beats ?? []) batch.heartbeat(connector, at);
    const answers: (() => void)[] = [];
    const decided: Call[] = [];
    for (const call of this.#calls.splice(0)) {
      try {
        answers.push(call.decide(batch));
        decided.push(call);
      } catch (error) {
        call.reject(error);
      }
    }
    try {
      if (batch.writes > 0) await this.#append(batch.line);
    } catch (error) {
      waiting?.reject(error);
      // Also what changed nothing: it may have been decided on what the others changed.
      for (const call of decided) call.reject(error);
      return;
    }
    waiting?.resolve();
    for (const answer of answers) answer();
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
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    await this.#running;
  }
}
