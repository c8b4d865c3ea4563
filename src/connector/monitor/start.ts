import type {Interfaces} from '@oclif/core';
import type {MonitorEvent} from '../../domain/fleet/monitor.js';
import {AppError} from '../../errors.js';
import type {Report} from '../../report/report.js';
import {systemClock} from '../../system/clock.js';
import {runShell, withoutSecrets} from '../../system/shell.js';
import {reasonOf} from '../../system/system-error.js';
import {escapeControl} from '../../terminal/escape.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {type ColorLevel, paletteFor} from '../../terminal/palette.js';
import {abortOnSignal, runInterruptible} from '../../terminal/signals.js';
import {
  flushed,
  outliveOutput,
  requireOutput,
  writeError,
  writeMessage,
} from '../../terminal/streams.js';
import type {monitorFlags} from './flags.js';
import {type MonitorOptions, monitor} from './run.js';
import {deliveryJson, eventJson} from './schema.js';
import {memoryOnly, type StateStore, withStateFile} from './state-file.js';
import {baselineSummary, renderMonitorEvent} from './view.js';

/** Milliseconds, unless the user sets them. */
const defaults = {every: 30_000, for: 120_000} as const;

/** Milliseconds that the command of `--exec` may take. */
const execTimeout = 30_000;

/** The fleet, and where the events go. */
interface MonitorContext extends Pick<MonitorOptions, 'look'> {
  readonly service: string;
  readonly json: boolean;
  readonly colorLevel: ColorLevel;
  /** Writes a part of the result. */
  readonly write: (text: string) => Promise<void>;
  /** The same, unless its reader has fallen behind. */
  readonly writeIfReady: (text: string) => void;
}

/**
 * Monitors a fleet as the flags say.
 *
 * @returns the report of the only look of `--once`; undefined when a signal ended the monitor
 * @throws AppError of that look, of the state file, and `unavailable` when `--exec` fails with `--once`
 */
export async function monitorFleet(
  flags: Interfaces.InferredFlags<typeof monitorFlags>,
  context: MonitorContext,
): Promise<Report | undefined> {
  const {every = defaults.every, once: isOnce, exec, initial, state} = flags;
  const {service, json, look, write, writeIfReady} = context;
  if (exec === undefined)
    requireOutput('What began and ended', 'Keep stdout open, or hand it to --exec.');
  const palette = await paletteFor(context.colorLevel);
  const textOf = (event: MonitorEvent) =>
    json ? jsonLine(eventJson(event)) : renderMonitorEvent(event, palette);
  const run = (store: StateStore, signal: AbortSignal) =>
    monitor({
      ...{look, store, every, isOnce, signal},
      clock: systemClock,
      now: Date.now,
      hold: flags.for ?? (isOnce ? 0 : defaults.for),
      reportsFirst: initial,
      async show(events) {
        const text = events.map((event) => `${textOf(event)}\n`).join('');
        if (exec !== undefined && !isOnce) return writeIfReady(text);
        await write(text);
        // What is only shown counts as delivered: a full disk has to end the process before.
        await flushed();
      },
      deliver:
        exec === undefined
          ? undefined
          : (told, open, abort) => runExec(exec, {service, events: told, open}, abort),
      onFailure: (failure, count) =>
        writeError(`--exec ${failure}; ${events(count)} again after the next look.`),
      onBaseline: (problems) => {
        const summary = baselineSummary(problems);
        if (summary !== undefined) writeMessage(summary);
      },
      onUnsaved: (error) =>
        writeError(
          error === undefined
            ? 'The state file is written again.'
            : `${escapeControl(error.message)} It is tried again after the next look.`,
        ),
    });
  const withState = (signal: AbortSignal) =>
    state === undefined
      ? run(memoryOnly, signal)
      : withStateFile(state, service, (store) => run(store, signal));
  if (!isOnce) {
    if (exec !== undefined) outliveOutput(lostOutput);
    await withState(abortOnSignal());
    return undefined;
  }
  const outcome = await runInterruptible(withState);
  if (outcome === undefined) return undefined;
  const {report, error, failure, undelivered} = outcome;
  if (failure === undefined && error === undefined) return report;
  const message = `--exec ${failure}; ${events(undelivered)} with the next run.`;
  if (error === undefined) throw new AppError('unavailable', message);
  if (failure !== undefined) writeError(message);
  throw error;
}

/** `--exec` tells of the events; the output only shows them. */
function lostOutput(error: NodeJS.ErrnoException): void {
  writeError(`Cannot write the output: ${reasonOf(error)}. --exec still gets the events.`);
}

const events = (count: number) =>
  count === 1 ? '1 event is delivered' : `${count} events are delivered`;

/** What to hand over. */
interface Delivery {
  readonly service: string;
  readonly events: readonly MonitorEvent[];
  /** How many problems there are that were told and did not end. */
  readonly open: number;
}

/**
 * Runs the command of `--exec` with all events. What a connector sent is on stdin only, never part of the command
 * line or the environment. Its output goes to stderr: stdout has the events.
 *
 * @returns how it failed; undefined when it succeeded
 */
function runExec(
  command: string,
  {service, events, open}: Delivery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const count = (change: MonitorEvent['change']) =>
    String(events.filter((event) => event.change === change).length);
  const env = {
    ...withoutSecrets(process.env),
    CONNECTORCTL_BEGAN: count('began'),
    CONNECTORCTL_ENDED: count('ended'),
    CONNECTORCTL_PROBLEMS: String(open),
  };
  const input = `${JSON.stringify(deliveryJson(service, events))}\n`;
  return runShell(command, {env, timeout: execTimeout, signal, input, output: 2});
}
