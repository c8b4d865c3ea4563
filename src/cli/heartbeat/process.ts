import {type LoopEvents, runHeartbeatLoop} from '../../client/keep-alive.js';
import {longestPause} from '../../client/refusals.js';
import type {HeartbeatReading} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {acceptedStatus, failingStatus} from '../../render/heartbeat-line.js';
import {duration} from '../../render/time.js';
import {systemClock} from '../../system/clock.js';
import {reasonOf} from '../errors/system-error.js';
import {LoopSupervision} from '../supervision/heartbeat.js';
import {runShell, withoutSecrets} from '../supervision/shell.js';
import {systemdOf} from '../supervision/systemd.js';
import {abortOnSignal} from '../terminal/signals.js';
import {outliveOutput, writeError, writeIfReady, writeMessage} from '../terminal/streams.js';
import {startCommand} from './command.js';
import type {LiveConnection} from './connection.js';
import {HeartbeatLog} from './log.js';

/** How a process sends heartbeats for a connector. Times are in milliseconds. */
interface Heartbeats {
  /** Whose key, and id, may change. */
  readonly connection: LiveConnection;
  /** The time limit of one request. */
  readonly timeout: number;
  /** Between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  /** A command line for `sh -c` that succeeds while a heartbeat may be sent. */
  readonly check: {readonly command: string; readonly timeout: number} | undefined;
  readonly accepted: (reading: HeartbeatReading) => void;
}

/**
 * How many request timeouts one iteration of the loop may take: the watchdog must not restart a process whose
 * request ends by its own timeout, so one more is left for reading the response and for a busy machine.
 */
export const timeoutsPerTurn = 2;

/**
 * Sends heartbeats until SIGINT or SIGTERM, the normal way to end it.
 *
 * @throws AppError as `runHeartbeatLoop`
 */
export async function runAlone(heartbeats: Heartbeats): Promise<void> {
  const signal = abortOnSignal();
  outliveOutput((error) =>
    writeError(`Cannot write the output: ${reasonOf(error)}. Heartbeats continue.`),
  );
  await sendHeartbeats(heartbeats, environmentOf(heartbeats), true, signal);
}

/**
 * Runs a command, and sends heartbeats until it ends. No failure or refusal of the service delays or ends it.
 *
 * @returns its exit code, or 128 and the number of the signal that killed it
 * @throws CommandNotStarted
 */
export async function runWithCommand(
  command: readonly string[],
  heartbeats: Heartbeats,
): Promise<number> {
  const env = environmentOf(heartbeats);
  const {ended} = await startCommand(command, env);
  const stop = new AbortController();
  const beating = sendHeartbeats(heartbeats, env, false, stop.signal).catch((error: unknown) =>
    writeError(`Heartbeats have ended: ${reasonOf(error)}. The command keeps running.`),
  );
  const code = await ended;
  stop.abort();
  await beating;
  exitDuringLookup(code);
  return code;
}

/** The environment of the command and of the check: without secrets of ours. */
function environmentOf({connection}: Heartbeats): NodeJS.ProcessEnv {
  return {...withoutSecrets(process.env), CONNECTORCTL_CONNECTOR_ID: connection.id};
}

/** In Node 22.15 and newer. */
type Replaceable = NodeJS.Process & {
  readonly execve?: (file: string, args: readonly string[], env: object) => void;
};

/**
 * Ends the process without waiting for a DNS lookup. `process.exit` waits for one: without a response from
 * the name server, up to 10 s with the usual settings. Older versions of Node cannot avoid the wait.
 */
export function exitDuringLookup(code: number): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return;
  const {execve}: Replaceable = process;
  execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {});
}

/** Sends heartbeats until the signal aborts, logs failures to stderr, and notifies systemd if it started this process. */
async function sendHeartbeats(
  {connection, timeout, every, check, accepted}: Heartbeats,
  env: NodeJS.ProcessEnv,
  endsWhenRevoked: boolean,
  signal: AbortSignal,
): Promise<void> {
  const systemd = systemdOf(process.env, process.pid);
  const turnLimit = timeoutsPerTurn * timeout + (check?.timeout ?? 0);
  const supervision = systemd && new LoopSupervision(systemd, systemClock, turnLimit);
  const log = new HeartbeatLog(systemClock, (line) => writeIfReady('stderr', `${line}\n`));
  const failing = (error: AppError, retryIn: number) =>
    supervision?.turn(retryIn, 'failing', () => failingStatus(connection.id, error, new Date()));
  let isTooLong = false;
  const events: LoopEvents = {
    accepted(reading, nextIn) {
      accepted(reading);
      log.accepted();
      const requested = (reading.nextHeartbeatSeconds ?? 0) * 1000;
      if (every === undefined && requested > longestPause && !isTooLong) {
        isTooLong = true;
        writeMessage(tooLongInterval(requested));
      }
      supervision?.turn(nextIn, 'accepted', () => acceptedStatus(connection.id, new Date()));
    },
    failed(error, retryIn, lastSuccessAt) {
      log.failed(error, retryIn, lastSuccessAt);
      failing(error, retryIn);
    },
    refused(error, retryIn) {
      log.refused(error, retryIn);
      failing(error, retryIn);
    },
  };
  const send = async (abort: AbortSignal) => {
    const failure = check && (await runShell(check.command, {...check, env, signal: abort}));
    if (failure) throw new AppError('unavailable', `no heartbeat sent: the check ${failure}`);
    return connection.send(abort);
  };
  const loop = {send, renew: () => connection.renew(), endsWhenRevoked, every, signal, events};
  try {
    await runHeartbeatLoop({...loop, clock: systemClock, random: Math.random});
  } finally {
    await supervision?.close();
  }
}

function tooLongInterval(requested: number): string {
  const rounded = (time: number) => duration(time, Math.round);
  return `The service asks for a heartbeat every ${rounded(requested)}; sending one every ${rounded(longestPause)}. Set another interval with --every.`;
}
