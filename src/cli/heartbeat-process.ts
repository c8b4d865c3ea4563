import type {Client} from '../client/types.js';
import {renderHeartbeatFailure, renderHeartbeatLine} from '../render/heartbeat-line.js';
import {systemClock} from './clock.js';
import {runHeartbeatLoop} from './heartbeat-loop.js';
import {say, writeOut} from './streams.js';

/** How the process beats and speaks. */
export interface HeartbeatProcessOptions {
  /** Milliseconds between heartbeats; the service's interval where undefined. */
  readonly every: number | undefined;
  readonly count: number | undefined;
  /** One line of JSON for each heartbeat instead of one line of text. */
  readonly json: boolean;
}

/**
 * Runs the heartbeat loop until SIGINT or SIGTERM, which are the ordinary way to end it.
 *
 * @throws AppError what the loop could not heal
 */
export async function runHeartbeatProcess(
  client: Client,
  id: string,
  {every, count, json}: HeartbeatProcessOptions,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await runHeartbeatLoop({
    send: (signal) => client.sendHeartbeat(id, {signal}),
    every,
    count,
    signal: stop.signal,
    clock: systemClock,
    random: Math.random,
    events: {
      accepted: (reading) =>
        writeOut(json ? `${JSON.stringify(reading.raw)}\n` : renderHeartbeatLine(id, reading)),
      failed: (error, retryIn, lastSuccessAt) =>
        say(renderHeartbeatFailure(error, {retryIn, lastSuccessAt, now: Date.now()})),
    },
  });
}
