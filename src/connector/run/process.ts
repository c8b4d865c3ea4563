import {runHeartbeatLoop} from '../../client/keep-alive.js';
import {isPermanent} from '../../client/refusals.js';
import {AppError, exitCodes} from '../../errors.js';
import {systemClock} from '../../system/clock.js';
import {runShell, withoutSecrets} from '../../system/shell.js';
import {reasonOf} from '../../system/system-error.js';
import {systemdOf} from '../../system/systemd.js';
import {escapeControl} from '../../terminal/escape.js';
import {startCommand} from './command.js';
import {LiveConnection, mayRepeat} from './connection.js';
import type {ConnectionSource} from './flags.js';
import {HeartbeatReport, timeoutsPerTurn} from './report.js';

/** Milliseconds that the command of `--check` may take. */
const checkLimit = 30_000;

/**
 * Sends heartbeats until SIGINT or SIGTERM, the normal way to end it, or while a command runs. Once the command
 * runs, no failure or refusal of the service ends it.
 *
 * @returns the exit code: 0, or that of the command, or 128 plus the number of the signal that killed it
 * @throws CommandNotStarted, or AppError as `LiveConnection.open` and `runHeartbeatLoop`
 */
export async function runHeartbeats(run: ConnectionSource): Promise<number> {
  const {command, io} = run;
  const systemd = systemdOf(process, (line) => io.note(line));
  const report = new HeartbeatReport(systemd, run);
  try {
    if (command !== undefined) return await beatBeside(command, run, report);
    await sendHeartbeats(run, report, {endsWhenRevoked: true, signal: io.stop});
    return exitCodes.ok.code;
  } finally {
    await report.close();
  }
}

async function beatBeside(
  command: readonly string[],
  run: ConnectionSource,
  report: HeartbeatReport,
): Promise<number> {
  const {io} = run;
  const stop = new AbortController();
  let ended: Promise<number> | undefined;
  const start = async (id: string) => {
    ({ended} = await startCommand(command, environmentOf(id), io));
    void ended.then(() => stop.abort());
  };
  const beat = async (interrupted: AbortSignal) => {
    const signal = AbortSignal.any([interrupted, stop.signal]);
    await sendHeartbeats(run, report, {endsWhenRevoked: false, signal}, start);
    if (ended === undefined) interrupted.throwIfAborted();
  };
  await io.interruptible(beat).catch((error: unknown) => {
    if (ended === undefined) throw error;
    const hint = error instanceof AppError && error.hint ? ` ${error.hint}.` : '';
    io.error(
      escapeControl(`Heartbeats have ended: ${reasonOf(error)}.${hint} The command keeps running.`),
    );
  });
  return ended ?? exitCodes.ok.code;
}

/** The environment of the wrapped command and of `--check`, without the secrets of this program. */
function environmentOf(id: string): NodeJS.ProcessEnv {
  return {...withoutSecrets(process.env), CONNECTORCTL_CONNECTOR_ID: id};
}

/**
 * Sends heartbeats until the signal aborts. The loop first opens the connection; at the first start of a machine, this
 * activates the connector.
 *
 * @param opened called once, before the first heartbeat
 * @throws as `LiveConnection.open` and `runHeartbeatLoop`
 */
async function sendHeartbeats(
  run: ConnectionSource,
  report: HeartbeatReport,
  end: {readonly endsWhenRevoked: boolean; readonly signal: AbortSignal},
  opened?: (id: string) => Promise<void>,
): Promise<void> {
  const {every, check} = run.flags;
  const connection = new LiveConnection(run, report);
  await runHeartbeatLoop({
    ...end,
    every,
    clock: systemClock,
    random: Math.random,
    renew: () => connection.renew(),
    isLasting: (error) => (connection.isOpen ? isPermanent(error) : !mayRepeat(error)),
    async send(abort) {
      if (!connection.isOpen) {
        await connection.open(abort);
        const {id, timeout} = connection.current;
        await opened?.(id);
        report.begin(timeoutsPerTurn * timeout + checkLimit);
      }
      const options = {
        env: environmentOf(connection.current.id),
        timeout: checkLimit,
        signal: abort,
      };
      const failure = check && (await runShell(check, options));
      if (failure) throw new AppError('unavailable', `no heartbeat sent: the check ${failure}`);
      return connection.send(abort);
    },
    read: (abort) => connection.read(abort),
    onTurn(turn) {
      if (!turn.isAlive) {
        if (turn.isRefused) report.refused(turn.error, turn.retryIn);
        else report.failed(turn.error, turn.retryIn);
        return;
      }
      report.accepted(connection.current.id, turn.reading, turn.nextIn);
    },
    onShared: (isShared) => report.shared(connection.current.id, isShared),
  });
}
