import {randomUUID} from 'node:crypto';
import {
  type MonitorEvent,
  type MonitorRules,
  type MonitorState,
  updateState,
} from '../../domain/check/monitor.js';
import {AppError} from '../../errors.js';
import type {Report, ReportRun} from '../../report/report.js';
import type {Clock} from '../../system/clock.js';
import {escapeControl} from '../../terminal/escape.js';
import {type StateStore, unsaved} from './state-file.js';
import {baselineSummary, undeliveredText, watchText} from './view.js';

/** Options of a monitor. Times are in milliseconds. */
export interface MonitorOptions extends Omit<MonitorRules, 'createId'> {
  /** Checks the connectors once. */
  readonly check: (signal: AbortSignal) => Promise<ReportRun>;
  readonly store: StateStore;
  readonly clock: Clock;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly every: number;
  readonly isOnce: boolean;
  /** Shows new events; without `deliver` also those that an earlier run may not have shown. */
  readonly show: (events: readonly MonitorEvent[], report: Report) => Promise<void>;
  /**
   * Hands over events; undefined when they are only shown.
   *
   * @param open number of reported problems that have not ended
   * @returns the failure: the events are then handed over again after the next check
   */
  readonly deliver:
    | ((
        events: readonly MonitorEvent[],
        report: Report,
        open: number,
        signal: AbortSignal,
      ) => Promise<string | undefined>)
    | undefined;
  /** Takes a line about the first check, and errors of the delivery or of the state file. */
  readonly say: (line: string, isError: boolean) => void;
  readonly signal: AbortSignal;
}

/** The outcome of a monitor that checks once. */
export interface MonitorOutcome extends ReportRun {
  /** The reason for a failed delivery. */
  readonly failure: string | undefined;
  readonly undelivered: number;
}

/**
 * Checks connectors until the signal aborts, or once, and reports what began and ended since the last check.
 *
 * @returns undefined when the signal ended it
 * @throws AppError `cancelled` when the signal ended the only check, the permanent error of the very first check, and
 *   an error of the state file
 */
export async function monitor(options: MonitorOptions): Promise<MonitorOutcome | undefined> {
  const {check, store, clock, now, every, reportsFirst, isOnce, show, deliver, say, signal} =
    options;
  let state = await store.load();
  const save = savingWith(options, state);
  let isAnnounced = isOnce;
  while (!signal.aborted) {
    const {report, error} = await check(signal);
    if (signal.aborted) break;
    if (!isAnnounced && error === undefined) say(watchText(report, every), false);
    isAnnounced ||= error === undefined;
    const isFirst = !state.hasBaseline;
    if (isFirst && state.open.length === 0 && error && !error.isTransient) throw error;
    const seen = {findings: report.findings, isComplete: error === undefined, at: now()};
    const next = updateState(state, seen, {...options, createId: randomUUID});
    ({state} = next);
    // Saved before any event is delivered: one that is delivered twice then has the same id.
    await save(state);
    const known = state.open.filter(({isKnown}) => isKnown).map(({problem}) => problem);
    const isBaseline = isFirst && state.hasBaseline && !reportsFirst;
    if (isBaseline && known.length > 0) say(baselineSummary(known), false);
    const waiting = state.undelivered;
    await show(deliver === undefined ? waiting : next.events, report);
    const failure =
      waiting.length === 0 ? undefined : await deliver?.(waiting, report, known.length, signal);
    if (failure === undefined && waiting.length > 0) {
      state = {...state, undelivered: []};
      await save(state);
    }
    if (signal.aborted) break;
    if (isOnce) return {report, error, failure, undelivered: waiting.length};
    if (failure !== undefined)
      say(undeliveredText(failure, waiting.length, 'again after the next check'), true);
    await clock.wait(every, signal);
  }
  if (!isOnce) return undefined;
  throw new AppError('cancelled', 'Interrupted; the next run delivers the remaining events.', {
    reason: 'cancelled',
  });
}

/** A text that differs where a state needs saving: without the messages, because the age in one changes at each check. */
const marksOf = (state: MonitorState): string =>
  JSON.stringify(state, (name, value) => (name === 'message' ? undefined : value));

/**
 * Saves a state that differs from the one loaded or saved last. A monitor without `--once` survives a full disk: it keeps
 * the state in memory, and tries again.
 */
function savingWith({isOnce, say, store}: MonitorOptions, loaded: MonitorState) {
  let saved = marksOf(loaded);
  let isUnsaved = false;
  return async (state: MonitorState): Promise<void> => {
    const marks = marksOf(state);
    if (marks === saved) return;
    try {
      await store.save(state);
      saved = marks;
      if (isUnsaved) say('The state file is written again.', true);
      isUnsaved = false;
    } catch (error) {
      if (isOnce || !(error instanceof AppError) || error.reason !== unsaved) throw error;
      if (!isUnsaved)
        say(`${escapeControl(error.message)} It is tried again after the next check.`, true);
      isUnsaved = true;
    }
  };
}
