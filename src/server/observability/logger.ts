import {type DestinationStream, type LevelWithSilent, type Logger, pino} from 'pino';
import {prettyFactory} from 'pino-pretty';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {renderLogLine} from '../../render/log-line.js';
import type {Palette} from '../../render/palette.js';

const stderr = 2;

/** The number of the level info in pino. */
const infoLevel = 30;

/** Lines are buffered up to this many bytes or milliseconds. */
const gathering = {minLength: 8 * 1024, periodicFlush: 100};

/** Maximum bytes buffered for a slow reader or a full disk; further lines are dropped. */
const mostWaiting = 16 * 1024 * 1024;

/** A terminal that shows the log to people. */
export interface LogTerminal {
  readonly palette: Palette;
  /** Writes text that ends with a line feed. */
  write(text: string): void;
  /** Holds back lines of the level info and below until it resolves. Default: shows them at once. */
  readonly ready?: Promise<unknown>;
}

/**
 * The log of the service: JSON lines on stderr, or readable lines on a terminal. Secrets that get into
 * a line by mistake, for instance in an error's message, are redacted.
 */
export function createLogger(level: LevelWithSilent, terminal?: LogTerminal): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${timestamp(Date.now())}"`,
    formatters: {level: (label: string) => ({level: label})},
    hooks: {streamWrite: (line: string) => redactSecrets(line, '[redacted]')},
  };
  return pino(options, terminal === undefined ? gatheringStderr() : linesOn(terminal));
}

/** One line per record; the stack of an error follows it. */
function linesOn({palette, write, ready}: LogTerminal): DestinationStream {
  const lineOf = prettyFactory({
    colorize: false,
    include: 'err',
    messageFormat: (record) => renderLogLine(record, palette),
  });
  let held: string[] | undefined = ready && [];
  ready?.then(() => {
    const lines = held ?? [];
    held = undefined;
    for (const line of lines) write(line);
  });
  return {
    // Makes pino set `lastLevel` before each write.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(record: string) {
      const line = lineOf(record);
      if (held !== undefined && this.lastLevel <= infoLevel) held.push(line);
      else write(line);
    },
  } as DestinationStream & {lastLevel: number};
}

/**
 * Stderr, where a failed write must not stop the service. Under load the lines of many requests share
 * one write; the rest is flushed when the process exits.
 */
function gatheringStderr(): DestinationStream {
  const stream = pino.destination({
    dest: stderr,
    sync: false,
    ...gathering,
    maxLength: mostWaiting,
  });
  let failed = false;
  // pino handles a closed pipe (EPIPE); other errors, such as a full disk, may be temporary.
  stream.on('error', () => {
    failed = true;
  });
  stream.on('write', () => {
    failed = false;
  });
  // At exit the library would otherwise retry for ever.
  const flush = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    if (!failed) flush();
  };
  return stream;
}
