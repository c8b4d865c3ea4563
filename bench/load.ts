import autocannon from 'autocannon';
import {median} from './figures.js';
import type {Server} from './servers.js';

/** Seconds that one measurement takes. */
export const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);

/** The number of rounds of measurements that alternate. */
export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);

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

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map(({perSecond}) => perSecond)),
  microseconds: median(rates.map(({microseconds}) => microseconds)),
});

/** Runs two loads in turn, so that other work on the machine affects both equally. */
export async function compare(one: Load, other: Load): Promise<Comparison> {
  const pairs: {readonly one: Rate; readonly other: Rate}[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    pairs.push({one: await load(one), other: await load(other)});
  }
  pairs.shift();
  return {
    ratio: median(pairs.map((pair) => pair.one.perSecond / pair.other.perSecond)),
    cpu: median(pairs.map((pair) => pair.one.microseconds / pair.other.microseconds)),
    one: medianRate(pairs.map((pair) => pair.one)),
    other: medianRate(pairs.map((pair) => pair.other)),
  };
}
