// The default export: the tests replace its functions.
import fs from 'node:fs';
import type {DestinationStream} from 'pino';
import {timestamp} from '../../domain/timestamp.js';
import {errorCode} from '../../system/error-codes.js';

const stderr = 2;

/** Lines are written together after this many bytes, or this many milliseconds after the first. */
const gathering = {bytes: 8 * 1024, milliseconds: 100} as const;

/** Maximum bytes that wait for a slow reader or a full disk; further lines are dropped, audit records later. */
const mostWaiting = {lines: 16 * 1024 * 1024, audit: 32 * 1024 * 1024} as const;

const nothing = Buffer.alloc(0);

/** Milliseconds for which the end of the process waits for a slow reader, and between two attempts. */
const atExit = {patience: 1000, pause: 10} as const;

/**
 * Stderr for a log under load: many lines share one write, and none waits for it. A write that fails stops
 * neither the process nor its end: it is repeated while there is room for further lines, but not to a closed
 * pipe. pino's own destination repeats it forever when the process exits.
 */
class BufferedStderr implements DestinationStream {
  #lines: string[] = [];
  /** What a write has not written. */
  #rest: Buffer = nothing;
  /** Of the lines and the rest. */
  #bytes = 0;
  #isWriting = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  /** Of the dropped lines, those that no line of the log has reported. */
  #unreported = 0;
  /** Set by pino before each write. */
  lastLevel = 0;
  readonly #auditLevel: number;

  /** @param auditLevel the number of the level of audit records */
  constructor(auditLevel: number) {
    this.#auditLevel = auditLevel;
    Object.assign(this, {[Symbol.for('pino.metadata')]: true});
    process.once('exit', () => this.flushSync());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    const isAudit = this.lastLevel === this.#auditLevel;
    const most = isAudit ? mostWaiting.audit : mostWaiting.lines;
    if (this.#isClosed || this.#bytes + bytes > most) {
      this.#dropped += 1;
      this.#unreported += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
    // After a failure only the timer tries again.
    if (this.#bytes >= gathering.bytes && this.#rest.length === 0) this.#send();
    else this.#sendSoon();
  }

  /** Lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Reports dropped lines in the log, once all that came before them is written. */
  #report(): void {
    if (this.#unreported === 0 || this.#bytes > 0) return;
    const time = timestamp(Date.now());
    const lines = this.#unreported;
    this.#unreported = 0;
    this.lastLevel = 0;
    const msg = 'lines of the log were dropped, because its reader is slow or its disk is full';
    this.write(`${JSON.stringify({level: 'warn', time, lines, msg})}\n`);
  }

  /** Writes what waits, before the process ends. pino calls it for a fatal error. */
  flushSync(): void {
    const deadline = performance.now() + atExit.patience;
    let bytes = Buffer.concat([this.#next(), this.#next()]);
    while (bytes.length > 0 && !this.#isClosed) {
      try {
        bytes = bytes.subarray(fs.writeSync(stderr, bytes));
      } catch (error) {
        if (errorCode(error) !== 'EAGAIN' || performance.now() > deadline) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, atExit.pause);
      }
    }
  }

  #sendSoon(): void {
    if (this.#timer !== undefined || this.#isWriting) return;
    this.#timer = setTimeout(() => this.#send(), gathering.milliseconds);
    this.#timer.unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    const bytes = this.#next();
    this.#isWriting = true;
    fs.write(stderr, bytes, 0, bytes.length, null, (error, written) => {
      this.#isWriting = false;
      if (error?.code === 'EPIPE') return this.#close();
      this.#rest = bytes.subarray(error ? 0 : written);
      this.#bytes += this.#rest.length;
      this.#report();
      if (error === null && this.#bytes >= gathering.bytes) this.#send();
      else if (this.#bytes > 0) this.#sendSoon();
    });
  }

  #close(): void {
    this.#isClosed = true;
    this.#lines = [];
  }

  /** Takes what comes next: the rest of a write, or all lines. */
  #next(): Buffer {
    let bytes = this.#rest;
    if (bytes.length === 0) {
      bytes = Buffer.from(this.#lines.join(''));
      this.#lines = [];
    }
    this.#rest = nothing;
    this.#bytes -= bytes.length;
    return bytes;
  }
}

let shared: BufferedStderr | undefined;

/** The destination of all logs of this process. @param auditLevel the number of the level of audit records */
export function bufferedStderr(auditLevel: number): DestinationStream {
  shared ??= new BufferedStderr(auditLevel);
  return shared;
}

/** Lines that the log of this process has dropped. */
export const droppedLines = (): number => shared?.dropped ?? 0;
