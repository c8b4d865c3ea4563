import {constants, fstatSync, openSync, statSync, writeSync} from 'node:fs';
import {Socket} from 'node:net';
import {devNull} from 'node:os';
import {isatty} from 'node:tty';
import {hasCode, reasonOf} from '../../system/system-error.js';
import {isAscii} from '../../terminal/escape.js';
import type {LogOptions, LogOutput} from '../../terminal/io.js';

/** Maximum `waiting` for lines and for audit records; the difference is reserved for the latter. */
const room = {line: 7 * 1024 * 1024, audit: 8 * 1024 * 1024} as const;

/** A destination of text outside the process. */
interface Sink {
  /** Takes text, without waiting for a reader; only a terminal makes it wait, for instance after Ctrl-S. */
  write(text: string): void;
  /** Size of the text that is taken and not yet written: UTF-16 code units, or bytes for a file. */
  readonly waiting: number;
  /** Resolves once all text is written, or cannot be written. */
  drained(): Promise<void>;
}

/** The text about lines that were dropped, because too many waited for a slow reader. */
export const droppedNotice = (dropped: number, output = 'this output') =>
  `${dropped} ${dropped === 1 ? 'line was' : 'lines were'} dropped: nobody read ${output}.\n`;

/** An output for a slow reader: text that it has not taken waits in memory. Only a terminal makes the process wait. */
export class Output implements LogOutput {
  readonly sink: Sink;
  hasBegun = false;
  #dropped = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /**
   * Writes whole lines, or drops and counts them when too many wait already. An audit record is never dropped: its
   * operation calls `hasRoom` first.
   */
  write(text: string, {isAudit = false, notice = droppedNotice}: LogOptions = {}): void {
    if (!isAudit && this.sink.waiting + text.length > room.line) {
      this.#dropped += 1;
      return;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.writeAll(dropped === 0 ? text : `${notice(dropped)}${text}`);
  }

  writeAll(text: string): void {
    this.hasBegun = true;
    this.sink.write(text);
  }

  hasRoom(): boolean {
    return this.sink.waiting < room.audit;
  }
}

/** A sink for a stream of Node.js: a pipe, a terminal, or whatever replaces stdout in the process of another program. */
export function streamSink(stream: NodeJS.WriteStream | Socket): Sink {
  return {
    // The same bytes for ASCII, in a fraction of the CPU time.
    write: (text) => void stream.write(text, isAscii(text) ? 'latin1' : 'utf8'),
    get waiting() {
      return stream.writableLength;
    },
    drained: () => new Promise((resolve) => stream.write('', () => resolve())),
  };
}

/**
 * A sink for a file or a device, where a write returns at once. The text of a failed write, as on a full disk, is kept
 * for the next write, which may succeed.
 */
function fileSink(fd: number, onError: (error: NodeJS.ErrnoException) => void): Sink {
  let kept = Buffer.alloc(0);
  return {
    write(text) {
      kept = Buffer.concat([kept, Buffer.from(text)]);
      try {
        while (kept.length > 0) kept = kept.subarray(writeSync(fd, kept));
      } catch (error) {
        onError(error as NodeJS.ErrnoException);
      }
    },
    get waiting() {
      return kept.length;
    },
    drained: async () => undefined,
  };
}

/**
 * The sink for stdout or stderr of this process; `onError` gets the errors of writes. A pipe is opened again in
 * non-blocking mode: the processes that inherited stdout or stderr share the mode of its open file, and a process that
 * starts a child resets it.
 */
export function processSink(fd: 1 | 2, onError: (error: NodeJS.ErrnoException) => void): Sink {
  const kind = kindOf(fd);
  if (kind === 'file') return fileSink(fd, onError);
  const inherited = () => (fd === 1 ? process.stdout : process.stderr);
  const stream = (kind === 'pipe' && reopened(fd)) || inherited();
  // Runs before the framework's listener, which throws.
  stream.prependListener('error', onError);
  return streamSink(stream);
}

function kindOf(fd: number): 'file' | 'other' | 'pipe' {
  try {
    const found = fstatSync(fd);
    if (found.isFIFO()) return 'pipe';
    return found.isFile() || (found.isCharacterDevice() && !isatty(fd)) ? 'file' : 'other';
  } catch {
    return 'other';
  }
}

/** Opens a pipe again in non-blocking mode; undefined where the system does not allow that. */
function reopened(fd: number): Socket | undefined {
  try {
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    return new Socket({fd: own, readable: false, writable: true});
  } catch {
    return undefined;
  }
}

const keepStdout = 'Send stdout to a terminal, a file, or a program that reads all of it.';

/** The remedy for an output that cannot be written. @param error of the write */
export function remedyOf(error: unknown): string {
  return hasCode(error, 'EBADF', 'EPIPE')
    ? keepStdout
    : 'Free some space there, or redirect the output elsewhere.';
}

/**
 * How stdout would be lost, as the end of a sentence: it was closed (Node then replaces it by the null device), it is the
 * null device, or it cannot be written. Undefined if it would not be lost, or if only the first write shows the loss, as
 * with a pipe whose reader has left.
 */
export function lossOfStdout(): {readonly how: string; readonly remedy: string} | undefined {
  try {
    writeSync(1, '');
    const output = fstatSync(1);
    const isNull = output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
    return isNull ? {how: 'is closed or discarded', remedy: keepStdout} : undefined;
  } catch (error) {
    return {how: `cannot be written: ${reasonOf(error)}`, remedy: remedyOf(error)};
  }
}
