import {type Figure, median} from '../figures.js';
import {type Load, run} from './http-load.js';
import type {ServerProcess} from './servers.js';

/** Seconds that one measurement takes. */
export const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);

/** The number of rounds of measurements that alternate. */
export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Connections of every load. */
export const connections = 64;

/** A measurement: prepares a directory, and returns figures. */
export type Measure = (directory: string) => Promise<Figure[]>;

/** What a client sends to one server; this module decides how long and how often. */
type Contender = Pick<Load, 'next'> & {readonly server: ServerProcess};

/** The performance of a server under a load. */
export interface Rate {
  readonly perSecond: number;
  /** CPU time in microseconds that the server took for each request. */
  readonly microseconds: number;
}

export async function load({server, next}: Contender, length = seconds): Promise<Rate> {
  const before = await server.cpuTime();
  const {perSecond, samples} = await run({port: server.port, connections, seconds: length, next});
  return {perSecond, microseconds: ((await server.cpuTime()) - before) / samples.length};
}

/** How two loads compare: the median of the ratios of their rates, and the medians of both. */
export interface Comparison {
  readonly ratio: number;
  readonly one: Rate;
  readonly other: Rate;
}

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map(({perSecond}) => perSecond)),
  microseconds: median(rates.map(({microseconds}) => microseconds)),
});

/** Runs two loads in turn, so that other work on the machine affects both equally. */
export async function compare(one: Contender, other: Contender): Promise<Comparison> {
  await load(one, seconds / 2);
  await load(other, seconds / 2);
  const pairs: {readonly one: Rate; readonly other: Rate}[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({one: await load(one), other: await load(other)});
  }
  return {
    ratio: median(pairs.map((pair) => pair.one.perSecond / pair.other.perSecond)),
    one: medianRate(pairs.map((pair) => pair.one)),
    other: medianRate(pairs.map((pair) => pair.other)),
  };
}

/** Uses servers, and stops them also after an error. */
export async function using<Result>(
  starts: readonly Promise<ServerProcess>[],
  use: (servers: readonly ServerProcess[]) => Promise<Result>,
): Promise<Result> {
  const started = await Promise.allSettled(starts);
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    return await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
