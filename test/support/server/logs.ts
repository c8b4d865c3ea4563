import {type LogEntry, RecordedLog} from '../store/recorded-log.js';

/** One logged line. */
export type LoggedLine = LogEntry;

/** A log of a service that keeps its lines for assertions. */
export function keepingLog(isEnabled = true) {
  const log = Object.assign(new RecordedLog(), {isLevelEnabled: () => isEnabled});
  return {log, lines: log.entries};
}
