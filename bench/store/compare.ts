import type {Figure} from '../figures.js';
import {median} from '../figures.js';
import {type Load, run} from './http-load.js';
import type {ServerProcess} from './servers.js';

/** Seconds that one measurement takes. */
export const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);

/** How often measurements that alternate are repeated. */
export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Connections of every load. */
export const connections = 64;

/** One measurement: makes what it needs in a directory, and comes to some figures. */
export type Measure = (directory: string) => Promise<Figure[]>;

/** A load for one server; how long it takes and how often it is repeated is decided here. */
export type Contender = Pick<Load, 'next' | 'reconnect'> & {readonly server: ServerProcess};

export function load(contender: Contender, length = seconds): Promise<{perSecond: number}> {
  const {server, ...rest} = contender;
  return run({...rest, port: server.port, connections, seconds: length});
}

/** How two loads compare: the median of the ratios, and the medians of both. */
export interface Comparison {
  readonly ratio: number;
  readonly one: number;
  readonly other: number;
}

/** Runs two loads in turn, so that what else the machine does befalls both alike. */
export async function compare(one: Contender, other: Contender): Promise<Comparison> {
  await load(one, seconds / 2);
  await load(other, seconds / 2);
  const pairs: {readonly one: number; readonly other: number}[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await load(one);
    const second = await load(other);
    pairs.push({one: first.perSecond, other: second.perSecond});
  }
  return {
    ratio: median(pairs.map((pair) => pair.one / pair.other)),
    one: median(pairs.map((pair) => pair.one)),
    other: median(pairs.map((pair) => pair.other)),
  };
}

/** Uses servers and stops them, whatever happens. */
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
