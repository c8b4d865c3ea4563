import autocannon from 'autocannon';
import {alternate, median, medianRatio, roundsOr} from './runs.js';
import type {Server} from './servers.js';

/** Seconds that one measurement takes. */
export const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);

/** The number of rounds of measurements that alternate. */
export const rounds = roundsOr(5);

/** Requests, repeated as fast as a server answers, on 64 connections by default. */
export interface Load {
  readonly server: Server;
  readonly requests: readonly autocannon.Request[];
  readonly connections?: number;
  /** Ends after so many requests, not after some seconds. */
  readonly amount?: number;
}

/** The performance of a server under a load. */
export interface Rate {
  readonly perSecond: number;
  /** CPU time in microseconds that the server took for each request. */
  readonly microseconds: number;
}

/** @throws Error when a request fails */
export async function load({server, requests, connections = 64, amount}: Load): Promise<Rate> {
  const before = await server.cpuTime();
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}`,
    connections,
    requests: [...requests],
    ...(amount === undefined ? {duration: seconds} : {amount}),
  });
  const {errors, non2xx} = result;
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} responses without success`);
  const {total} = result.requests;
  const microseconds = ((await server.cpuTime()) - before) / total;
  return {perSecond: total / result.duration, microseconds};
}

/** How two loads compare: the medians of the ratios of their rates and of their CPU times, and of both. */
export interface Comparison {
  readonly ratio: number;
  readonly cpu: number;
  readonly one: Rate;
  readonly other: Rate;
}

/** Runs two loads in turn. */
export async function compare(one: Load, other: Load): Promise<Comparison> {
  // The first round warms up.
  const rates = await alternate({one: () => load(one), other: () => load(other)}, rounds, 1);
  const values = (side: keyof typeof rates, field: keyof Rate) =>
    rates[side].map((rate) => rate[field]);
  const medians = (side: keyof typeof rates): Rate => ({
    perSecond: median(values(side, 'perSecond')),
    microseconds: median(values(side, 'microseconds')),
  });
  const ratioOf = (field: keyof Rate) => medianRatio(values('one', field), values('other', field));
  return {
    ratio: ratioOf('perSecond'),
    cpu: ratioOf('microseconds'),
    one: medians('one'),
    other: medians('other'),
  };
}
