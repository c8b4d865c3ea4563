import {randomUUID} from 'node:crypto';
import {
  delivered,
  type MonitorEvent,
  type MonitorRules,
  type MonitorState,
  openIn,
  updateState,
  waitingIn,
} from '../../domain/check/monitor.js';
import {AppError} from '../../errors.js';
import type {Report, ReportRun} from '../../report/report.js';
import type {Clock} from '../../system/clock.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import {type StateStore, unsaved} from './state-file.js';
import {baselineSummary, undeliveredText, watchText} from './view.js';

/** Options of a monitor. Times are in milliseconds. */
export interface MonitorOptions extends Omit<MonitorRules, 'createId'> {
  /** Checks the connectors once. */
  readonly check: (signal: AbortSignal) => Promise<ReportRun>;
  readonly store: StateStore;
  readonly clock: Clock;
  /** The current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly every: number;
  readonly isOnce: boolean;
  /** Shows new events; undefined if `deliver` does that. */
  readonly show?: ((events: readonly MonitorEvent[], report: Report) => unknown) | undefined;
  /**
   * Delivers events, including those that an earlier run may not have delivered.
   *
   * @param open number of reported problems that have not ended
   * @returns the failure, after which the events are delivered again with the next check; undefined for a success
   */
  readonly deliver: (
    events: readonly MonitorEvent[],
    report: Report,
    open: number,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Takes lines about the first check, and errors of the delivery or of the state file. */
  readonly io: Pick<Io, 'error' | 'note'>;
  readonly signal: AbortSignal;
}

/**
 * Checks connectors until the signal aborts, or once, and reports what began and ended since the last check.
 *
 * @returns the report of the only check; undefined when the signal ended it
 * @throws AppError `cancelled` when the signal ended the only check, the error of that check, `unavailable` when its
 *   events are not delivered, the permanent error of the very first check, and an error of the state file
 */
export async function monitor(options: MonitorOptions): Promise<Report | undefined> {
  const {check, store, clock, now, every, reportsFirst, isOnce, show, deliver, io, signal} =
    options;
  let state = await store.load();
  const save = savingWith(options, state);
  let isAnnounced = isOnce;
  while (!signal.aborted) {
    const {report, error} = await check(signal);
    if (signal.aborted) break;
    if (!isAnnounced && error === undefined) io.note(watchText(report, every));
    isAnnounced ||= error === undefined;
    const isFirst = !state.hasBaseline;
    if (isFirst && state.problems.length === 0 && error && !error.isTransient) throw error;
    const seen = {findings: report.findings, isComplete: error === undefined, at: now()};
    const next = updateState(state, seen, {...options, createId: randomUUID});
    ({state} = next);
    // Saved before any event is delivered: an event that is delivered twice then has the same id.
    await save(state);
    const known = openIn(state);
    const isBaseline = isFirst && state.hasBaseline && !reportsFirst;
    if (isBaseline && known.length > 0) io.note(baselineSummary(known));
    const waiting = waitingIn(state);
    await show?.(next.events, report);
    const failure =
      waiting.length === 0 ? undefined : await deliver(waiting, report, known.length, signal);
    if (failure === undefined && waiting.length > 0) {
      state = delivered(state);
      await save(state);
    }
    if (signal.aborted) break;
    if (failure !== undefined) {
      const next = isOnce ? 'with the next run' : 'again after the next check';
      const text = undeliveredText(failure, waiting.length, next);
      if (isOnce && error === undefined) throw new AppError('unavailable', text);
      io.error(text);
    }
    if (isOnce && error !== undefined) throw error;
    if (isOnce) return report;
    await clock.wait(every, signal);
  }
  if (!isOnce) return undefined;
  throw new AppError('cancelled', 'Interrupted; the next run delivers the remaining events.', {
    reason: 'cancelled',
  });
}

/** A text that differs if a state must be saved. It omits messages, because ages in them change at each check. */
const marksOf = (state: MonitorState): string =>
  JSON.stringify(state, (name, value) => (name === 'message' ? undefined : value));

/**
 * Saves a state that differs from the one loaded or saved last. A monitor without `--once` survives a full disk: it keeps
 * the state in memory, and tries again.
 */
function savingWith({isOnce, io, store}: MonitorOptions, loaded: MonitorState) {
  let saved = marksOf(loaded);
  let isUnsaved = false;
  return async (state: MonitorState): Promise<void> => {
    const marks = marksOf(state);
    if (marks === saved) return;
    try {
      await store.save(state);
      saved = marks;
      if (isUnsaved) io.error('The state file is written again.');
      isUnsaved = false;
    } catch (error) {
      if (isOnce || !(error instanceof AppError) || error.reason !== unsaved) throw error;
      if (!isUnsaved)
        io.error(`${escapeControl(error.message)} It is tried again after the next check.`);
      isUnsaved = true;
    }
  };
}
