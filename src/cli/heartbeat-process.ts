import type {Client} from '../client/types.js';
import {renderHeartbeatFailure, renderHeartbeatLine} from '../render/heartbeat-line.js';
import {jsonLine} from '../render/json.js';
import {systemClock} from './clock.js';
import {runHeartbeatLoop} from './heartbeat-loop.js';
import {HeartbeatSupervision} from './heartbeat-supervision.js';
import {stopOnSignal} from './stop.js';
import {offer} from './streams.js';
import {systemdOf} from './systemd.js';

/** How the process beats and speaks. */
export interface HeartbeatProcessOptions {
  /** Milliseconds between heartbeats; the service's interval where undefined. */
  readonly every: number | undefined;
  readonly count: number | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** One line of JSON for each heartbeat instead of one line of text. */
  readonly json: boolean;
  /** Writes a line of the result, if its reader has not fallen behind. */
  readonly write: (text: string) => void;
}

/**
 * Runs the heartbeat loop until SIGINT or SIGTERM, which are the ordinary way to end it, and tells
 * systemd how it is where systemd listens.
 *
 * @throws AppError what the loop could not heal
 */
export async function runHeartbeatProcess(
  client: Client,
  id: string,
  {every, count, timeout, json, write}: HeartbeatProcessOptions,
): Promise<void> {
  const signal = stopOnSignal();
  const systemd = systemdOf(process.env, process.pid);
  const supervision = systemd && new HeartbeatSupervision(systemd, id, systemClock, 2 * timeout);
  try {
    await runHeartbeatLoop({
      send: (abort) => client.sendHeartbeat(id, {signal: abort}),
      every,
      count,
      signal,
      clock: systemClock,
      random: Math.random,
      events: {
        accepted(reading, nextIn) {
          write(json ? `${jsonLine(reading.raw)}\n` : renderHeartbeatLine(id, reading));
          supervision?.accepted(nextIn);
        },
        failed(error, retryIn, lastSuccessAt) {
          const known = {retryIn, lastSuccessAt, now: systemClock.now()};
          offer(process.stderr, `${renderHeartbeatFailure(error, known)}\n`);
          supervision?.failed(error, retryIn);
        },
      },
    });
  } finally {
    await supervision?.close();
  }
}
