import type {StoreLog} from '../../../src/store/store.js';

/** One thing that a store told its log. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: Record<string, unknown>;
  readonly message: string;
}

/** A log that keeps what it is told. */
export class RecordedLog implements StoreLog {
  readonly entries: LogEntry[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly debug = this.#noting('debug');
  readonly info = this.#noting('info');
  readonly warn = this.#noting('warn');
  readonly error = this.#noting('error');

  /** The messages so far, in order. */
  get messages(): string[] {
    return this.entries.map(({message}) => message);
  }

  /** Waits until it has been told this. */
  async has(message: string): Promise<void> {
    while (!this.messages.includes(message)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #noting(level: LogEntry['level']) {
    return (details: object, message: string): void => {
      this.entries.push({level, details: {...details}, message});
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }
}
