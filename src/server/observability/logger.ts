import {type LevelWithSilent, type Logger, pino, stdSerializers, symbols} from 'pino';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {StoreError} from '../../store/store.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import type {LogOutput} from '../../terminal/io.js';

/** pino's number for the level of audit records: above all other levels, or next to info, which is 30. */
const auditLevels = {always: 100, asInfo: 31} as const;

/** Settings of a log; by default its lines are JSON. */
interface LogOptions {
  /** The colors for lines that people read. Default: JSON lines. */
  readonly palette?: Palette | undefined;
  /** Writes audit records at every log level, even `silent`; otherwise they have the level info. */
  readonly keepsAudit?: boolean | undefined;
}

/**
 * A log. Secrets that get into a line by mistake, for instance in an error's message, are redacted. `hasRoom` returns
 * whether the output takes one more audit record.
 */
export function createLogger(
  level: LevelWithSilent,
  output: LogOutput,
  {palette, keepsAudit = false}: LogOptions = {},
): Logger<'audit'> & {hasRoom(): boolean} {
  const audit = keepsAudit ? auditLevels.always : auditLevels.asInfo;
  const time = () => `,"time":"${timestamp(Date.now())}"`;
  const options = {
    level: keepsAudit && level === 'silent' ? 'audit' : level,
    customLevels: {audit},
    base: null,
    timestamp: time,
    formatters: {level: (label: string) => ({level: label === 'audit' ? 'info' : label})},
    serializers: {err: describeError},
    hooks: {streamWrite: (line: string) => redactSecrets(line, '[redacted]')},
  };
  const notice = (dropped: number) =>
    `{"level":"warn"${time()},"dropped":${dropped},"msg":"lines were dropped: nobody read this log"}\n`;
  const destination = {
    // With this symbol, pino sets `lastLevel` for each line.
    [symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      const isAudit = destination.lastLevel === audit;
      if (palette === undefined) output.write(line, {isAudit, notice});
      else output.write(readable(line, palette), {isAudit});
    },
  };
  return Object.assign(pino(options, destination), {hasRoom: () => output.hasRoom()});
}

/** Logs a store's error without its stack: the message is enough, and a full disk causes an error for each request. */
function describeError(error: Error): unknown {
  const described = stdSerializers.err(error);
  const {type, message} = described;
  return error instanceof StoreError ? {type, message} : described;
}

/** Formats a record as one line for people, in local time, followed by the stack of an error. */
function readable(line: string, {muted, error, warning}: Palette): string {
  const names: Readonly<Record<string, string>> = {
    warn: `${warning('WARN')} `,
    error: `${error('ERROR')} `,
    fatal: `${error('FATAL')} `,
  };
  const {level, time, msg, audit, err, request_id: _, ...fields} = JSON.parse(line);
  const clock = muted(new Date(time).toTimeString().slice(0, 8));
  const words = [
    audit === undefined ? msg : `audit ${audit}`,
    ...Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`),
  ];
  const stack: string[] = err === undefined ? [] : (err.stack ?? err.message).split('\n');
  const lines = [words.join(' '), ...stack].map((text) => `${escapeControl(text)}\n`);
  return `${clock} ${names[level] ?? ''}${lines.join('')}`;
}

/** A value as one word, or as JSON. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
