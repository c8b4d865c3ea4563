import {type LoopEvents, runHeartbeatLoop} from '../../client/keep-alive.js';
import {longestPause} from '../../client/refusals.js';
import type {HeartbeatReading} from '../../client/types.js';
import {duration} from '../../render/time.js';
import {systemClock} from '../../system/clock.js';
import {reasonOf} from '../errors/system-error.js';
import {HeartbeatSupervision} from '../supervision/heartbeat.js';
import {systemdOf} from '../supervision/systemd.js';
import {abortOnSignal} from '../terminal/signals.js';
import {outliveOutput, writeError, writeIfReady, writeMessage} from '../terminal/streams.js';
import type {LiveConnection} from './connection.js';
import {HeartbeatLog} from './log.js';

/** How a process sends heartbeats for a connector. Times are in milliseconds. */
interface Heartbeats {
  /** Whose key, and id, may change. */
  readonly connection: LiveConnection;
  /** Throws unless a heartbeat may be sent. */
  readonly check?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  /** What one iteration of the loop may take, without its pause. */
  readonly turnLimit: number;
  readonly accepted: (reading: HeartbeatReading) => void;
  /** Whether a key that stays revoked ends the heartbeats. */
  readonly endsWhenRevoked: boolean;
}

/**
 * How many request timeouts one iteration of the loop may take: the watchdog must not restart a process whose
 * request ends by its own timeout, so one more is left for reading the response and for a busy machine.
 */
export const timeoutsPerTurn = 2;

/**
 * Sends heartbeats until SIGINT or SIGTERM, the normal way to end it.
 *
 * @throws AppError the refusal that ended the heartbeats
 */
export async function runHeartbeatProcess(
  heartbeats: Omit<Heartbeats, 'endsWhenRevoked'>,
): Promise<void> {
  const signal = abortOnSignal();
  outliveOutput((error) =>
    writeError(`Cannot write the output: ${reasonOf(error)}. Heartbeats continue.`),
  );
  await sendHeartbeats({...heartbeats, endsWhenRevoked: true}, signal);
}

/**
 * Sends heartbeats until the signal aborts, logs failures to stderr, and notifies the systemd that started this
 * process.
 *
 * @throws AppError as `runHeartbeatLoop`
 */
export async function sendHeartbeats(
  {connection, check, every, turnLimit, accepted, endsWhenRevoked}: Heartbeats,
  signal: AbortSignal,
): Promise<void> {
  const systemd = systemdOf(process.env, process.pid);
  const supervision =
    systemd && new HeartbeatSupervision(connection, systemd, systemClock, turnLimit);
  const log = new HeartbeatLog(systemClock, (line) => writeIfReady('stderr', `${line}\n`));
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
      supervision?.accepted(nextIn);
    },
    failed(error, retryIn, lastSuccessAt) {
      log.failed(error, retryIn, lastSuccessAt);
      supervision?.failed(error, retryIn);
    },
    refused(error, retryIn) {
      log.refused(error, retryIn);
      supervision?.failed(error, retryIn);
    },
  };
  const send = async (abort: AbortSignal) => {
    await check?.(abort);
    return connection.send(abort);
  };
  const renew = () => connection.renew();
  const loop = {send, renew, endsWhenRevoked, every, signal, events};
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
