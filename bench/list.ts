/**
 * `npm run bench:list`: what long lists cost, in CPU time (user and system) of whole processes,
 * against `curl -s … | jq -c '.[]'` on the same list in the same run, and their peak memory. Needs Linux
 * with bash, curl and jq.
 *
 * Arguments choose rows by their names, for instance `npm run bench:list -- ndjson csv`.
 * `BENCH_CONNECTORS` (default 100,000) is the length of the list, `BENCH_ROUNDS` (default 5) is how often everything is
 * run.
 * Other load on the machine slows everything down, so each figure is the minimum of its runs.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {machine, mebibytes, print} from './figures.js';
import {measureMemory, measureTimes, type Service} from './list/measure.js';
import {startListServer, writeFleet} from './list/server.js';

const connectors = Number(process.env['BENCH_CONNECTORS'] ?? 100_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));

/** A service with as many connectors. */
async function service(count: number): Promise<Service> {
  const fleet = path.join(directory, `${count}.json`);
  const bytes = await writeFleet(fleet, count);
  const {port, stop} = await startListServer(fleet);
  const title = `${count.toLocaleString('en')} connectors, ${mebibytes(bytes)}`;
  return {title, url: `http://127.0.0.1:${port}`, stop};
}

const services: Service[] = [];
try {
  services.push(await service(connectors));
  const [first] = services;
  if (first === undefined) throw new Error('no service');
  const only = process.argv.slice(2);
  const figures = [
    ...measureTimes(first, rounds, only),
    ...services.flatMap((one) => measureMemory(one, directory, only)),
  ];
  print(figures, `${rounds} runs of each in turn, ${machine()}`);
} finally {
  await Promise.all(services.map(({stop}) => stop()));
  await rm(directory, {recursive: true, force: true});
}
