import {randomUUID} from 'node:crypto';
import {
  type MonitorEvent,
  type MonitorState,
  type Problem,
  remember,
} from '../../domain/fleet/monitor.js';
import {AppError} from '../../errors.js';
import type {ReportRun} from '../../report/report.js';
import type {Clock} from '../../system/clock.js';
import {type StateStore, unsaved} from './state-file.js';

/** How to watch a fleet, and how to tell of changes. Times are in milliseconds. */
export interface MonitorOptions {
  /** Looks at the fleet once. */
  readonly look: (signal: AbortSignal) => Promise<ReportRun>;
  readonly store: StateStore;
  readonly clock: Clock;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly every: number;
  readonly hold: number;
  /** Whether the problems of the first look are news. */
  readonly reportsFirst: boolean;
  readonly isOnce: boolean;
  /** Shows new events; without `deliver` also those that an earlier run may not have shown. */
  readonly show: (events: readonly MonitorEvent[]) => Promise<void>;
  /**
   * Hands over events; undefined when they are only shown.
   *
   * @param open how many problems there are that were told and did not end
   * @returns how it failed: they are then handed over again after the next look
   */
  readonly deliver:
    | ((
        events: readonly MonitorEvent[],
        open: number,
        signal: AbortSignal,
      ) => Promise<string | undefined>)
    | undefined;
  /** Called when `deliver` failed, and another look follows. */
  readonly onFailure: (failure: string, count: number) => void;
  /** Called once with the problems of the first look, which are no news. */
  readonly onBaseline: (problems: readonly Problem[]) => void;
  /** Called when the state cannot be saved, and another look follows; with undefined when it is saved again. */
  readonly onUnsaved: (error: AppError | undefined) => void;
  readonly signal: AbortSignal;
}

/** The only look of a monitor. */
interface MonitorOutcome extends ReportRun {
  /** How the delivery failed. */
  readonly failure: string | undefined;
  readonly undelivered: number;
}

/**
 * Looks at a fleet until the signal aborts, or once, and tells what began and what ended since the last look.
 *
 * @returns undefined when the signal ended it
 * @throws AppError `cancelled` when the signal ended the only look, the permanent error of the first look of all, and
 *   when the state cannot be read or saved
 */
export async function monitor(options: MonitorOptions): Promise<MonitorOutcome | undefined> {
  const {look, store, clock, now, every, hold, reportsFirst, isOnce} = options;
  const {show, deliver, onFailure, onBaseline, signal} = options;
  const saver = new Saver(options);
  let state = await store.load();
  while (!signal.aborted) {
    const {report, error} = await look(signal);
    if (signal.aborted) break;
    const isNew = !state.hasBaseline && state.tracked.length === 0;
    if (isNew && error !== undefined && !error.isTransient) throw error;
    const seen = {findings: report.findings, isComplete: error === undefined, at: now()};
    const next = remember(state, seen, {hold, reportsFirst, createId: randomUUID});
    // Before anything is told: what is told twice has the same id.
    await saver.save(next.state, next.isChanged);
    if (!reportsFirst && !state.hasBaseline && next.state.hasBaseline) {
      onBaseline(next.state.tracked.filter(({isKnown}) => isKnown).map(({problem}) => problem));
    }
    state = next.state;
    await show(deliver === undefined ? state.undelivered : next.events);
    const {length: undelivered} = state.undelivered;
    const open = state.tracked.filter(({isKnown}) => isKnown).length;
    const failure =
      undelivered === 0 ? undefined : await deliver?.(state.undelivered, open, signal);
    if (failure === undefined && undelivered > 0) {
      state = {...state, undelivered: []};
      await saver.save(state);
    }
    if (signal.aborted) break;
    if (isOnce) return {report, error, failure, undelivered};
    if (failure !== undefined) onFailure(failure, undelivered);
    await clock.wait(every, signal);
  }
  if (!isOnce) return undefined;
  throw new AppError('cancelled', 'Interrupted; what is not delivered comes with the next run.', {
    reason: 'cancelled',
  });
}

/** Saves the state. A monitor that goes on survives a full disk: it remembers, and tries again. */
class Saver {
  readonly #options: Pick<MonitorOptions, 'isOnce' | 'onUnsaved' | 'store'>;
  #isUnsaved = false;

  constructor(options: Pick<MonitorOptions, 'isOnce' | 'onUnsaved' | 'store'>) {
    this.#options = options;
  }

  async save(state: MonitorState, isChanged = true): Promise<void> {
    if (!isChanged && !this.#isUnsaved) return;
    const {isOnce, onUnsaved, store} = this.#options;
    try {
      await store.save(state);
      if (this.#isUnsaved) onUnsaved(undefined);
      this.#isUnsaved = false;
    } catch (error) {
      if (isOnce || !(error instanceof AppError) || error.reason !== unsaved) throw error;
      if (!this.#isUnsaved) onUnsaved(error);
      this.#isUnsaved = true;
    }
  }
}
