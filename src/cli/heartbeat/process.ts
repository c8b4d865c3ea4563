import type {Client, HeartbeatReading} from '../../client/types.js';
import {duration} from '../../render/time.js';
import {systemClock} from '../../system/clock.js';
import {reasonOf} from '../errors/system-error.js';
import {HeartbeatSupervision} from '../supervision/heartbeat.js';
import {systemdOf} from '../supervision/systemd.js';
import {abortOnSignal} from '../terminal/signals.js';
import {outliveOutput, writeError, writeIfReady, writeMessage} from '../terminal/streams.js';
import {HeartbeatLog} from './log.js';
import {type LoopEvents, longestPause, runHeartbeatLoop} from './loop.js';

/** How the process sends heartbeats. */
interface HeartbeatProcessOptions {
  /** Milliseconds between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Called after each accepted heartbeat. */
  readonly accepted: (reading: HeartbeatReading) => void;
}

/**
 * Runs the heartbeat loop until SIGINT or SIGTERM, the normal way to end it, and notifies systemd where
 * it listens.
 *
 * @throws AppError the permanent error that ended the loop
 */
export async function runHeartbeatProcess(
  client: Client,
  id: string,
  {every, timeout, accepted}: HeartbeatProcessOptions,
): Promise<void> {
  const signal = abortOnSignal();
  outliveOutput((error) =>
    writeError(`Cannot write the output: ${reasonOf(error)}. Heartbeats continue.`),
  );
  const supervision = supervisionOf(id, 2 * timeout);
  try {
    await runHeartbeatLoop({
      send: (abort) => client.sendHeartbeat(id, {signal: abort}),
      every,
      signal,
      clock: systemClock,
      random: Math.random,
      events: reportingEvents(every, supervision, accepted),
    });
  } finally {
    await supervision?.close();
  }
}

/**
 * Notifies the systemd that started this process, if one did.
 *
 * @param turnLimit milliseconds that one iteration of the loop may take, without its pause
 */
export function supervisionOf(id: string, turnLimit: number): HeartbeatSupervision | undefined {
  const systemd = systemdOf(process.env, process.pid);
  return systemd && new HeartbeatSupervision(systemd, id, systemClock, turnLimit);
}

/** Events of a loop that logs failures to stderr and notifies systemd. */
export function reportingEvents(
  every: number | undefined,
  supervision: HeartbeatSupervision | undefined,
  accepted: (reading: HeartbeatReading) => void,
): LoopEvents {
  const log = new HeartbeatLog(systemClock, (line) => writeIfReady(process.stderr, `${line}\n`));
  let isTooLong = false;
  return {
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
  };
}

function tooLongInterval(requested: number): string {
  const rounded = (time: number) => duration(time, Math.round);
  return `The service asks for a heartbeat every ${rounded(requested)}; sending one every ${rounded(longestPause)}. Set another interval with --every.`;
}
