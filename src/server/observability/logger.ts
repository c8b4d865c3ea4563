import {
  type DestinationStream,
  type LevelWithSilent,
  type Logger,
  pino,
  stdSerializers,
} from 'pino';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {StoreError} from '../../store/store.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';

/** The numbers of the level of audit records: above all others, or next to info, which is 30 in pino. */
const auditLevels = {always: 100, asInfo: 31} as const;

const stderr = 2;

/** The most bytes that wait for a full disk; further lines are dropped. */
const mostWaiting = 16 * 1024 * 1024;

/** Settings of a log; by default that of a service, which outlives a full disk. */
interface LogOptions {
  /** The colors of readable lines, for people. Default: lines of JSON. */
  readonly palette?: Palette | undefined;
  /** Writes audit records at every level, even `silent`; otherwise they are of the level info. */
  readonly keepsAudit?: boolean | undefined;
  /** Writes text that ends with a line feed. Default: to stderr. */
  readonly write?: ((text: string) => void) | undefined;
}

/** A log. Secrets that get into a line by mistake, for instance in an error's message, are redacted. */
export function createLogger(
  level: LevelWithSilent,
  {palette, keepsAudit = false, write}: LogOptions = {},
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
  const output = write ? {write} : onStderr();
  return pino(options, palette === undefined ? output : readable(output, palette));
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
function describeError(error: Error): unknown {
  const described = stdSerializers.err(error);
  const {type, message} = described;
  return error instanceof StoreError ? {type, message} : described;
}

/** One line per record for people, in local time; the stack of an error follows it. */
function readable(output: DestinationStream, {muted, error, warning}: Palette): DestinationStream {
  const names: Readonly<Record<string, string>> = {
    warn: `${warning('WARN')} `,
    error: `${error('ERROR')} `,
    fatal: `${error('FATAL')} `,
  };
  return {
    write(line) {
      const {level, time, msg, audit, err, request_id: _, ...fields} = JSON.parse(line);
      const clock = muted(new Date(time).toTimeString().slice(0, 8));
      const words = [
        audit === undefined ? msg : `audit ${audit}`,
        ...Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`),
      ];
      const stack: string[] = err === undefined ? [] : (err.stack ?? err.message).split('\n');
      const lines = [words.join(' '), ...stack].map((text) => `${escapeControl(text)}\n`);
      output.write(`${clock} ${names[level] ?? ''}${lines.join('')}`);
    },
  };
}

/** A value as one word, or as JSON. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
