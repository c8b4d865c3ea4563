import type {Writable} from 'node:stream';
import {type DestinationStream, type Logger, pino} from 'pino';
import pretty from 'pino-pretty';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../timestamp.js';

/** Log levels, from the least verbose. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

const stderr = 2;

/** Lines are buffered up to this many bytes or milliseconds. */
const gathering = {minLength: 8 * 1024, periodicFlush: 100};

/** Maximum bytes buffered for a slow reader or a full disk; further lines are dropped. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * The log of the service, on stderr: JSON lines, or readable text on a terminal. Secrets that get into
 * a line by mistake, for instance in an error's message, are redacted.
 *
 * @param terminal gets the readable text instead of stderr
 */
export function createLogger(
  level: LogLevel,
  forPeople: boolean,
  terminal: number | Writable = stderr,
): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${timestamp(Date.now())}"`,
    formatters: {level: (label: string) => ({level: label})},
    hooks: {streamWrite: (line: string) => redactSecrets(line, '[redacted]')},
  };
  if (forPeople) {
    return pino(
      options,
      pretty({destination: terminal, sync: true, translateTime: 'SYS:HH:MM:ss'}),
    );
  }
  return pino(options, gatheringStderr());
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
