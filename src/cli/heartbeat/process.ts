import {type LoopEvents, longestPause, runHeartbeatLoop} from '../../client/keep-alive.js';
import type {HeartbeatReading} from '../../client/types.js';
import type {AppError} from '../../errors.js';
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
  readonly connection: Pick<LiveConnection, 'id' | 'renew'>;
  readonly send: (signal: AbortSignal) => Promise<HeartbeatReading>;
  /** Between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  /** What one iteration of the loop may take, without its pause. */
  readonly turnLimit: number;
  readonly accepted: (reading: HeartbeatReading) => void;
  readonly refused: LoopEvents['refused'];
}

/**
 * How many request timeouts one iteration of the loop may take: the watchdog must not restart a process whose
 * request ends by its own timeout, so one more is left for reading the response and for a busy machine.
 */
export const timeoutsPerTurn = 2;

/**
 * Sends heartbeats until SIGINT or SIGTERM, the normal way to end it.
 *
 * @param timeout milliseconds that one request may take
 * @throws AppError the refusal that ended the loop
 */
export async function runHeartbeatProcess(
  connection: LiveConnection,
  timeout: number,
  options: Pick<Heartbeats, 'accepted' | 'every'>,
): Promise<void> {
  const signal = abortOnSignal();
  outliveOutput((error) =>
    writeError(`Cannot write the output: ${reasonOf(error)}. Heartbeats continue.`),
  );
  const send = (abort: AbortSignal) => connection.send(abort);
  const refused = (error: AppError) => Promise.reject(error);
  const turnLimit = timeoutsPerTurn * timeout;
  await sendHeartbeats({...options, connection, send, turnLimit, refused}, signal);
}

/** Runs the heartbeat loop, logs failures to stderr, and notifies the systemd that started this process. */
export async function sendHeartbeats(
  {connection, send, every, turnLimit, accepted, refused}: Heartbeats,
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
    async refused(error) {
      if (error.status === 401 && (await connection.renew())) return 0;
      const retryIn = await refused(error);
      if (retryIn !== undefined) supervision?.failed(error, retryIn);
      return retryIn;
    },
  };
  try {
    await runHeartbeatLoop({send, every, signal, clock: systemClock, random: Math.random, events});
  } finally {
    await supervision?.close();
  }
}

function tooLongInterval(requested: number): string {
  const rounded = (time: number) => duration(time, Math.round);
  return `The service asks for a heartbeat every ${rounded(requested)}; sending one every ${rounded(longestPause)}. Set another interval with --every.`;
}
