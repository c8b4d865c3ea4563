import type {Log} from '../../../src/server/context.js';

/** One logged line. */
export interface LoggedLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A log that keeps its lines for assertions. */
export function keepingLog(isEnabled = true): {readonly log: Log; readonly lines: LoggedLine[]} {
  const lines: LoggedLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({level, fields: {...fields}, message});
  };
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled: () => isEnabled,
  };
  return {log, lines};
}
