import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {type Figure, median, percent, perSecond} from '../figures.js';
import {root, ServerProcess} from '../store/servers.js';

/** Connections of the bare client, and concurrent rows of the command. */
const parallel = 16;

/** How often both are measured, alternately, because the load of a machine changes. */
const turns = 3;

/** The part of the bare client's rate that the command must reach. */
const target = 0.6;

const run = path.join(root, 'bin', 'run.js');

/**
 * Activates a list of machines with `connector activate --from`, and as many with a bare client that sends
 * the same requests and saves nothing, alternately at one service. Each is a separate process, timed from its
 * start to its end.
 *
 * @param rows machines of the list; `BENCH_ROWS`, or 5,000
 */
export async function bulkFigures(
  directory: string,
  rows = Number(process.env['BENCH_ROWS'] ?? 5000),
): Promise<Figure[]> {
  const keyFile = path.join(directory, 'key');
  const server = await ServerProcess.start([
    ...[run, 'serve', '--port', '0', '--store', path.join(directory, 'store')],
    ...['--log-level', 'silent', '--bootstrap-key-file', keyFile],
  ]);
  try {
    const key = (await readFile(keyFile, 'utf8')).trim();
    // So that both measure a service whose code is compiled.
    await bareRate(server.port, key, Math.min(rows, 3000));
    const pairs: {readonly own: number; readonly bare: number}[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const bare = await bareRate(server.port, key, rows);
      pairs.push({bare, own: await ownRate(server.port, keyFile, directory, rows, turn)});
    }
    const [own, bare] = [
      median(pairs.map((pair) => pair.own)),
      median(pairs.map((pair) => pair.bare)),
    ];
    const ratio = median(pairs.map((pair) => pair.own / pair.bare));
    return [
      {
        what: `activations per second through --from, --parallel ${parallel}, ${rows.toLocaleString('en')} rows`,
        measured: perSecond(own),
        against: `${perSecond(bare)} with a bare client`,
        ratio: percent(ratio),
        target: `at least ${percent(target)}`,
        reached: ratio >= target,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Rows per second of the command, from its start to its end. */
async function ownRate(
  port: number,
  keyFile: string,
  directory: string,
  rows: number,
  turn: number,
): Promise<number> {
  const list = path.join(directory, 'machines.csv');
  const names = Array.from({length: rows}, (_, index) => `own-${turn}-${index}`);
  await writeFile(list, `name\n${names.join('\n')}\n`);
  return rateOf(
    rows,
    [
      ...[run, 'connector', 'activate', '--from', list, '-o', 'ndjson'],
      ...['--credentials-dir', path.join(directory, `out-${turn}`), '--parallel', String(parallel)],
    ],
    {
      CONNECTORCTL_BASE_URL: `http://127.0.0.1:${port}`,
      CONNECTORCTL_API_KEY_FILE: keyFile,
      HOME: directory,
    },
  );
}

/** Rows per second of a client that does nothing but send the requests, from its start to its end. */
function bareRate(port: number, key: string, rows: number): Promise<number> {
  const client = path.join(import.meta.dirname, 'bare-client.cjs');
  return rateOf(rows, [client, String(port), String(rows), String(parallel)], {BENCH_KEY: key});
}

async function rateOf(
  rows: number,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {PATH: process.env['PATH'], ...env},
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${words.slice(0, 4).join(' ')} ended with ${code}`);
  return rows / ((performance.now() - startedAt) / 1000);
}
