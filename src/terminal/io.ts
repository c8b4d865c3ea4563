import type {Palette} from './escape.js';

/** Size of a terminal that reports none, as on a serial line or in some containers. */
export const usualSize = {columns: 80, rows: 24} as const;

/** The properties of stdout or stderr that rendering depends on. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Whether the output is a terminal whose cursor can be moved. */
  readonly canRedraw: boolean;
  readonly hasColor: boolean;
  /** Columns of a terminal; undefined for a pipe or a file, where nothing is cut. */
  readonly width: number | undefined;
  /** Rows of a terminal; the usual number for a pipe or a file. */
  readonly rows: number;
  /** The colors of the output. Loads chalk only if there are any. */
  palette(): Promise<Palette>;
}

/**
 * The output of one run of the command line, and the signals that stop it. There is one per run; code below `cli` gets
 * it as an argument, and nothing else writes to stdout or stderr or listens to signals.
 */
export interface Io {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Whether stdout carries JSON. */
  readonly json: boolean;
  /** Whether stdin, stdout or stderr is a terminal, whose keys then signal all processes of the job. */
  readonly hasTerminal: boolean;
  /** Whether prompts are possible: stdin and stderr are terminals, outside CI, and `--no-input` is absent. */
  readonly canPrompt: boolean;
  /** Whether `--quiet` was given: only errors and the result are written. */
  readonly isQuiet: boolean;
  /** The exit code, if the command does not fail with an error; undefined counts as 0. */
  exitCode: number | undefined;
  /** What is lost when a result that is shown only once cannot be written, and the remedy. */
  consequence: string | undefined;
  /** Aborts at the stop signal that ends the work of the command. */
  readonly stop: AbortSignal;
  /** Writes to stdout, and waits for a slow reader. */
  result(text: string): Promise<void>;
  /** As `result`, for many texts, which it joins into larger parts. */
  parts(texts: Iterable<string>): Promise<void>;
  /**
   * Writes a line of a stream to stdout. Work that goes on without output does not wait for a slow reader: when too
   * many lines wait, further ones are dropped and counted.
   */
  line(line: string): Promise<void>;
  /** Writes a message to stderr, unless `--quiet` was given. */
  note(line: string): void;
  /** As `note`, but writes each line only once per run. */
  noteOnce(line: string): void;
  /** Writes an error, or a line that must not be missed, to stderr. */
  error(line: string): void;
  /** The log on stderr. */
  readonly log: LogOutput;
  /**
   * Shows the reason for a wait, and its seconds, on the last line of a terminal. It appears after one second.
   *
   * @param text called every second; undefined hides the line
   * @returns a function that ends the display
   */
  progress(text: () => string | undefined): () => void;
  /**
   * Runs work that a stop signal aborts, so that it can report its outcome. A second signal ends the process at once.
   *
   * @throws what the work throws; after a stop signal, `cancelled` becomes the kind of that signal
   */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Lets code with its own listeners, one per signal, handle all stop signals from now on. */
  takeSignals(): SignalTaker;
}

export interface LogOptions {
  readonly isAudit?: boolean;
  /** The text about lines that were dropped before this one, because too many waited. */
  readonly notice?: (dropped: number) => string;
}

/** A log whose reader may be slow, or gone. */
export interface LogOutput {
  /** Writes text that ends with a line feed, without waiting for a slow reader; a terminal may block. */
  write(text: string, options?: LogOptions): void;
  /** Whether one more audit record can be written. */
  hasRoom(): boolean;
}

/** The signals that stop a process. */
export type StopSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/** Handles signals in place of the command line. Stop signals that arrive before it listens are kept for it. */
export interface SignalTaker {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): void;
  on(signal: NodeJS.Signals, listener: () => void): void;
  /** Removes a listener. Without any left, a stop signal ends the process at once. */
  off(signal: StopSignal): void;
  /** Lets the process end by the stop signal that has ended a process of the same job. */
  note(signal: NodeJS.Signals): void;
  exit(code: number): never;
}
