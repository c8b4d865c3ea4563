import type {Writable} from 'node:stream';
import {type DestinationStream, type Logger, pino} from 'pino';
import pretty from 'pino-pretty';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../timestamp.js';

/** How much is logged, from the least. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

const stderr = 2;

/** How long lines are gathered for one write: up to so many bytes, or milliseconds. */
const gathering = {minLength: 8 * 1024, periodicFlush: 100};

/** Bytes of lines that wait for a reader who is slow, or a disk that is full; further ones are lost. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * The log of the service, on stderr: lines of JSON, or for a person at a terminal in words. Nothing
 * here logs a secret on purpose; should one slip into an error's text, it is cut out of the line.
 *
 * @param terminal takes the words in the place of stderr
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
 * Stderr for lines that must not end the service when they cannot be written. Under load the lines
 * of many requests share one write; what is left is written when the process ends.
 */
function gatheringStderr(): DestinationStream {
  const stream = pino.destination({
    dest: stderr,
    sync: false,
    ...gathering,
    maxLength: mostWaiting,
  });
  let failed = false;
  // Of a reader that has gone (EPIPE) pino takes care; anything else, a full disk for instance, may pass.
  stream.on('error', () => {
    failed = true;
  });
  stream.on('write', () => {
    failed = false;
  });
  // At the end of the process the library would try for ever.
  const flush = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    if (!failed) flush();
  };
  return stream;
}
