/**
 * `npm run bench:list`: what long lists cost, in CPU time (user and system) of whole processes,
 * against curl with jq or gojq on the same list in the same run, and their peak memory. Needs Linux with bash, curl and
 * jq; leaves out what needs gojq where it is not installed.
 *
 * Arguments choose rows by their names, for instance `npm run bench:list -- id csv`.
 * `BENCH_CONNECTORS` (default 100,000) is the length of the list, `BENCH_ROUNDS` (default 5) is how often everything is
 * run.
 * Other load on the machine slows everything down, so each figure is the minimum of its runs.
 */
import {machine, mebibytes, print} from './figures.js';
import {listText} from './list/fleet.js';
import {measureMemory, measureTimes} from './list/measure.js';
import {roundsOr} from './runs.js';
import {inDirectory, startBare, using} from './servers.js';

const connectors = Number(process.env['BENCH_CONNECTORS'] ?? 100_000);
const rounds = roundsOr(5);
const only = process.argv.slice(2);
const body = listText(connectors);
await inDirectory((directory) =>
  using([startBare({body})], async ([server]) => {
    const title = `${connectors.toLocaleString('en')} connectors, ${mebibytes(body.length)}`;
    const service = {title, url: `http://127.0.0.1:${server.port}`};
    const figures = [
      ...(await measureTimes(service, rounds, only)),
      ...(await measureMemory(service, directory, only)),
    ];
    print(figures, `${rounds} runs of each in turn, ${machine()}`);
  }),
);
