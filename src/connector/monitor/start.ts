import {Flags, type Interfaces} from '@oclif/core';
import type {MonitorEvent} from '../../domain/check/monitor.js';
import {AppError} from '../../errors.js';
import {durationFlag} from '../../flags.js';
import type {Report} from '../../report/report.js';
import {systemClock} from '../../system/clock.js';
import {runShell, withoutSecrets} from '../../system/shell.js';
import {jsonLine} from '../../terminal/formats/json.js';
import type {Io} from '../../terminal/io.js';
import {checkFlags, readCheck} from '../check/run.js';
import {type MonitorOptions, monitor} from './run.js';
import {withState} from './state-file.js';
import {deliveryJson, eventJson, renderEvents} from './view.js';

const {'wait-timeout': _, ...evaluation} = checkFlags;

export const monitorFlags = {
  ...evaluation,
  every: durationFlag({description: 'interval between two checks (default 30s)', min: 1000}),
  exec: Flags.string({
    description:
      'command for sh -c, run after each check with changes; gets the events as JSON on stdin',
    helpValue: 'COMMAND',
  }),
  for: durationFlag({
    allowsZero: true,
    description: 'report a problem once it has lasted this long (default: 2m; 0s with --once)',
  }),
  initial: Flags.boolean({description: 'report the problems of the first check too'}),
  once: Flags.boolean({
    dependsOn: ['state'],
    description: 'check once, report the changes since the last run, and exit like connector check',
  }),
  repeat: durationFlag({
    description: 'report a problem that lasts again after this time (default: never)',
    min: 1000,
  }),
  state: Flags.string({
    description: 'file for the known problems, so that a restart repeats and loses nothing',
    helpValue: 'PATH',
  }),
};

/** Reads the check. @throws AppError `usage`, also for an empty inventory: every problem would seem to be over */
export async function readMonitorCheck(
  flags: Interfaces.InferredFlags<typeof monitorFlags>,
): ReturnType<typeof readCheck> {
  const check = await readCheck({...flags, 'wait-timeout': undefined});
  if (check.expected?.length !== 0) return {...check, namesAllDown: true};
  throw new AppError('usage', 'The inventory is empty.', {
    hint: 'Nothing was checked. List the connectors that should exist, or omit --expect.',
  });
}

/** Defaults of flags, in milliseconds. */
const defaults = {every: 30_000, for: 120_000} as const;

/** Milliseconds that the command of `--exec` may take. */
const execTimeout = 30_000;

/**
 * Monitors connectors as the flags say.
 *
 * @param io the output for events
 * @returns the report of the check of `--once`; undefined when a signal ended the monitor
 * @throws AppError as `monitor` and `withState`
 */
export async function monitorConnectors(
  flags: Interfaces.InferredFlags<typeof monitorFlags>,
  service: string,
  check: MonitorOptions['check'],
  io: Io,
): Promise<Report | undefined> {
  const {every = defaults.every, once: isOnce, exec, initial, state} = flags;
  const palette = await io.stdout.palette();
  const {isTerminal} = io.stdout;
  const textOf = (events: readonly MonitorEvent[], report: Report) =>
    io.json
      ? events.map((event) => jsonLine(eventJson(event))).join('\n')
      : renderEvents(report, events, {palette, isTerminal});
  // An event that is only shown counts as delivered once it is written; a full disk ends the process before that.
  const show = async (events: readonly MonitorEvent[], report: Report) => {
    if (events.length > 0) await io.line(textOf(events, report));
    return undefined;
  };
  const run = (signal: AbortSignal) =>
    withState(state, service, (store) =>
      monitor({
        ...{check, store, every, isOnce, io, signal},
        clock: systemClock,
        now: Date.now,
        hold: flags.for ?? (isOnce ? 0 : defaults.for),
        reportsFirst: initial,
        repeat: flags.repeat ?? Number.POSITIVE_INFINITY,
        ...(exec === undefined ? {deliver: show} : {show, deliver: runWith(exec)}),
      }),
    );
  return isOnce ? io.interruptible(run) : run(io.stop);
}

/**
 * A delivery that runs the command of `--exec` with all events. What a connector sent is on stdin only, never part of the
 * command line or the environment. The command's output goes to stderr: stdout has the events.
 */
function runWith(command: string): MonitorOptions['deliver'] {
  return (events, report, open, signal) => {
    const count = (change: MonitorEvent['change']) =>
      String(events.filter((event) => event.change === change).length);
    const env = {
      ...withoutSecrets(process.env),
      CONNECTORCTL_BEGAN: count('began'),
      CONNECTORCTL_ENDED: count('ended'),
      CONNECTORCTL_PROBLEMS: String(open),
    };
    const input = `${JSON.stringify(deliveryJson(report, events))}\n`;
    return runShell(command, {env, timeout: execTimeout, signal, input, output: 2});
  };
}
