import {runHeartbeatLoop} from '../../client/keep-alive.js';
import {AppError, type ErrorKind, exitCodes} from '../../errors.js';
import {systemClock} from '../../system/clock.js';
import {runShell, withoutSecrets} from '../../system/shell.js';
import {reasonOf} from '../../system/system-error.js';
import {systemdOf} from '../../system/systemd.js';
import {escapeControl} from '../../terminal/escape.js';
import {blankNotice} from '../../terminal/notices.js';
import {startCommand} from './command.js';
import {type LiveConnection, openConnection, type Run} from './connection.js';
import {HeartbeatReport, timeoutsPerTurn} from './report.js';

/** Milliseconds that a check may take. */
const checkLimit = 30_000;

/** The kinds of errors of SIGINT and SIGTERM. */
const stopKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['cancelled', 'terminated']);

/**
 * Sends heartbeats until SIGINT or SIGTERM, the normal way to end it, or while a command runs. Once the command
 * runs, no failure or refusal of the service ends it.
 *
 * @returns the exit code: 0, or that of the command, or 128 plus the number of the signal that killed it
 * @throws CommandNotStarted, or AppError as `openConnection` and `runHeartbeatLoop`
 */
export async function runHeartbeats(run: Run): Promise<number> {
  const {io} = run;
  const report = new HeartbeatReport(
    systemdOf(process, (line) => io.note(line)),
    io,
  );
  let code: number = exitCodes.ok.code;
  try {
    const connection = await openConnection(run, report);
    if (run.command === undefined) await beatUntilStopped(connection, run, report);
    else code = await beatBeside(run.command, connection, run, report);
  } catch (error) {
    const isStopped = error instanceof AppError && stopKinds.has(error.kind);
    if (run.command !== undefined || !isStopped) throw error;
  } finally {
    await report.close();
  }
  return code;
}

async function beatUntilStopped(
  connection: LiveConnection,
  run: Run,
  report: HeartbeatReport,
): Promise<void> {
  const end = {endsWhenRevoked: true, signal: run.io.stop};
  await sendHeartbeats(connection, run, report, end);
}

async function beatBeside(
  command: readonly string[],
  connection: LiveConnection,
  run: Run,
  report: HeartbeatReport,
): Promise<number> {
  const {ended} = await startCommand(command, environmentOf(connection), run.io);
  const stop = new AbortController();
  const end = {endsWhenRevoked: false, signal: stop.signal};
  const beating = sendHeartbeats(connection, run, report, end).catch((error: unknown) => {
    const hint = error instanceof AppError && error.hint ? ` ${error.hint}.` : '';
    run.io.error(
      escapeControl(`Heartbeats have ended: ${reasonOf(error)}.${hint} The command keeps running.`),
    );
  });
  const code = await ended;
  stop.abort();
  await beating;
  return code;
}

/** The environment of the command and of the check: without secrets of ours. */
function environmentOf(connection: LiveConnection): NodeJS.ProcessEnv {
  return {...withoutSecrets(process.env), CONNECTORCTL_CONNECTOR_ID: connection.id};
}

/** Sends heartbeats until the signal aborts. @throws as `runHeartbeatLoop` */
async function sendHeartbeats(
  connection: LiveConnection,
  {flags: {every, check}, accepted, shared, io}: Run,
  report: HeartbeatReport,
  end: {readonly endsWhenRevoked: boolean; readonly signal: AbortSignal},
): Promise<void> {
  report.begin(timeoutsPerTurn * connection.timeout + checkLimit);
  const env = environmentOf(connection);
  let isBlankTold = false;
  await runHeartbeatLoop({
    ...end,
    every,
    clock: systemClock,
    random: Math.random,
    renew: () => connection.renew(),
    async send(abort) {
      const options = {env, timeout: checkLimit, signal: abort};
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
      const {reading, nextIn} = turn;
      if (reading.blank && !isBlankTold) io.note(`Warning: ${blankNotice(reading.blank)}`);
      isBlankTold ||= reading.blank !== undefined;
      accepted(connection.id, reading);
      report.accepted(connection.id, nextIn);
    },
    onShared(isShared) {
      report.shared(connection.id, isShared);
      shared(connection.id, isShared);
    },
  });
}
