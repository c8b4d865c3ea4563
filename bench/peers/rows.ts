import {setTimeout as delay} from 'node:timers/promises';
import type {Request} from 'autocannon';
import {root} from '../../scripts/build/root.js';
import {type Figure, mebibytes, rateText, upTo} from '../figures.js';
import {activation, connectorId, heartbeats, organizationKey} from '../fleet.js';
import {type Comparison, compare, rounds} from '../load.js';
import type {Databases} from '../postgres/databases.js';
import {alternate, median} from '../runs.js';
import {ServerProcess, startBare, startServe, using} from '../servers.js';
import {startPgApp} from './servers.js';

/** A row of the table. @param least the target of the ratio of rates @param most that of the ratio of CPU times */
export function row(
  what: string,
  peer: string,
  by: Comparison,
  least: number,
  most = Number.POSITIVE_INFINITY,
): Figure {
  return {
    what,
    measured: rateText(by.one.perSecond, by.one.microseconds),
    against: `${peer}: ${rateText(by.other.perSecond, by.other.microseconds)}`,
    ratio: `${by.ratio.toFixed(2)}; CPU ${by.cpu.toFixed(2)} ×`,
    target: `≥ ${least}${Number.isFinite(most) ? `; ≤ ${most} ×` : ''}`,
    isMissed: by.ratio < least || by.cpu > most,
  };
}

const fleet = 1000;
const activations = 2000;

/** The PostgreSQL store against bare Fastify on the same server, with 16 connections. */
export async function databaseRows(databases: Databases): Promise<readonly Figure[]> {
  // Each activation uses up a token, also in the first round.
  const url = await databases.withFleet(fleet, 2 * activations * (rounds + 1));
  return using([startServe(url), startPgApp('fastify', url)], async ([serve, bare]) => {
    const against = async (
      what: string,
      requests: readonly Request[],
      least: number,
      more = {},
    ) => {
      process.stderr.write(`PostgreSQL store, ${what} …\n`);
      const load = {requests, connections: 16, ...more};
      const by = await compare({...load, server: serve}, {...load, server: bare});
      return row(`PostgreSQL store, ${what}`, 'bare Fastify with pg', by, least);
    };
    const headers = {authorization: `Bearer ${organizationKey}`};
    const gets = Array.from({length: fleet}, (_, number): Request => {
      return {method: 'GET', path: `/api/connectors/${connectorId(number)}`, headers};
    });
    let next = 0;
    const activate: Request = {setupRequest: (sent) => ({...sent, ...activation(next++)})};
    return [
      await against('get', gets, 0.6),
      await against('heartbeat', heartbeats(fleet), 0.7),
      await against('activation', [activate], 0.6, {amount: activations}),
    ];
  });
}

/** Resident memory of `connector run` after 15 seconds, and of a Node.js process that waits as long. */
export async function residentRow(): Promise<Figure> {
  const body = JSON.stringify({id: 'con_1', last_heartbeat_at: new Date().toISOString()});
  const {pairs} = await using([startBare({body})], async ([{port}]) => {
    const words = ['connector', 'run', 'con_1', '--base-url', `http://127.0.0.1:${port}`];
    const env = {PATH: process.env['PATH'], HOME: root, CONNECTORCTL_API_KEY: 'a-key'};
    const take = async () => {
      const own = ServerProcess.launch([`${root}/bin/run.js`, ...words], {env});
      const other = ServerProcess.launch(['-e', 'setInterval(()=>{},1e9)'], {env});
      await delay(15_000);
      const taken = {own: (await own.memory()).now, other: (await other.memory()).now};
      await Promise.all([own.stop(), other.stop()]);
      return taken;
    };
    return alternate({pairs: take}, 5);
  });
  const own = median(pairs.map((pair) => pair.own));
  const other = median(pairs.map((pair) => pair.other));
  return {
    what: 'connector run, resident after 15 s',
    measured: mebibytes(own),
    against: `node that waits: ${mebibytes(other)}`,
    ...upTo(own / other, 1.3),
  };
}
