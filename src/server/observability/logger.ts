import {
  type DestinationStream,
  type LevelWithSilent,
  type Logger,
  pino,
  stdSerializers,
} from 'pino';
import {prettyFactory} from 'pino-pretty';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {StoreError} from '../../store/store.js';
import type {Palette} from '../../terminal/palette.js';
import {renderLogLine} from './log-line.js';

/** The numbers of the level of audit records: above all others, or next to info, which is 30 in pino. */
const auditLevels = {always: 100, asInfo: 31} as const;

const stderr = 2;

/** The most bytes that wait for a full disk; further lines are dropped. */
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
 *
 * @param keepsAudit writes audit records at every level, even `silent`; otherwise they are of the level info
 * @param output for JSON lines; by default those of a service, which outlive a full disk
 */
export function createLogger(
  level: LevelWithSilent,
  terminal?: LogTerminal,
  keepsAudit = false,
  output?: DestinationStream,
): Logger<'audit'> {
  const audit = keepsAudit ? auditLevels.always : auditLevels.asInfo;
  const options = {
    level: keepsAudit && level === 'silent' ? 'audit' : level,
    customLevels: {audit},
    base: null,
    timestamp: () => `,"time":"${timestamp(Date.now())}"`,
    formatters: {level: (label: string) => ({level: label === 'audit' ? 'info' : label})},
    serializers: {err: describeError},
    hooks: {streamWrite: (line: string) => redactSecrets(line, '[redacted]')},
  };
  return pino(options, terminal === undefined ? (output ?? onStderr()) : linesOn(terminal));
}

/**
 * Each line is written at once, so that none is lost however the process ends. A log whose disk is full stops neither
 * the process nor its end; pino keeps the lines until one can be written.
 */
function onStderr(): DestinationStream {
  const destination = pino.destination({dest: stderr, sync: true, maxLength: mostWaiting});
  destination.on('error', () => {});
  return destination;
}

/** A store's error has no stack: its message says all, and a full disk logs one for each request. */
function describeError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return stdSerializers.err(error as Error);
  const messages: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    messages.push(cause.message);
  return {type: error.name, message: messages.join(': ')};
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
      if (held !== undefined && this.lastLevel <= auditLevels.asInfo) held.push(line);
      else write(line);
    },
  } as DestinationStream & {lastLevel: number};
}
