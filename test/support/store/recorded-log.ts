import type {StoreLog} from '../../../src/store/store.js';

/** An entry of a log. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A log that keeps its entries. */
export class RecordedLog implements StoreLog {
  readonly entries: LogEntry[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly debug = this.#record('debug');
  readonly info = this.#record('info');
  readonly warn = this.#record('warn');
  readonly error = this.#record('error');

  /** The messages so far, in order. */
  get messages(): string[] {
    return this.entries.map(({message}) => message);
  }

  /** Waits for an entry with this message. */
  async has(message: string): Promise<void> {
    while (!this.messages.includes(message)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #record(level: LogEntry['level']) {
    return (fields: object, message: string): void => {
      this.entries.push({level, fields: {...fields}, message});
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }
}
