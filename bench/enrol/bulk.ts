import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {Agent, request} from 'node:http';
import path from 'node:path';
import {endpoints} from '../../src/contract/endpoints.js';
import {type Figure, percent, perSecond} from '../figures.js';
import {root, ServerProcess} from '../store/servers.js';

/** Connections of the bare client, and rows at a time of the command. */
const parallel = 16;

/** The part of the bare client's rate that the command must reach. */
const target = 0.6;

const run = path.join(root, 'bin', 'run.js');

/**
 * Activates a list of machines with `connector activate --from`, and as many with a bare client that
 * sends the same requests and saves nothing, at one service in turn.
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
    // Once, so that both find a service whose code is compiled.
    await bareRate(server.port, key, Math.min(rows, 500));
    // Before and after, because the load of a machine changes.
    const before = await bareRate(server.port, key, rows);
    const own = await ownRate(server.port, keyFile, directory, rows);
    const bare = (before + (await bareRate(server.port, key, rows))) / 2;
    const ratio = own / bare;
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
): Promise<number> {
  const list = path.join(directory, 'machines.csv');
  const names = Array.from({length: rows}, (_, index) => `own-${index}`);
  await writeFile(list, `name\n${names.join('\n')}\n`);
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...[run, 'connector', 'activate', '--from', list, '-o', 'ndjson'],
      ...['--credentials-dir', path.join(directory, 'out'), '--parallel', String(parallel)],
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...{PATH: process.env['PATH'], HOME: directory},
        CONNECTORCTL_BASE_URL: `http://127.0.0.1:${port}`,
        CONNECTORCTL_API_KEY_FILE: keyFile,
      },
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`connector activate --from ended with ${code}`);
  return rows / ((performance.now() - begun) / 1000);
}

/** Rows per second of a client that does nothing but send the requests. */
async function bareRate(port: number, key: string, rows: number): Promise<number> {
  const agent = new Agent({keepAlive: true, maxSockets: parallel});
  const post = (target: string, headers: Record<string, string>, body = '') =>
    new Promise<Record<string, string>>((resolve, reject) => {
      const sent = request(
        {agent, host: '127.0.0.1', port, method: 'POST', path: target, headers},
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          if (response.statusCode === 200 || response.statusCode === 201) resolve(JSON.parse(text));
          else reject(new Error(text));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  let next = 0;
  const work = async () => {
    for (let row = next++; row < rows; row = next++) {
      const authorization = `Bearer ${key}`;
      const {token} = await post(endpoints.createToken.path, {authorization});
      const body = JSON.stringify({token, name: `bare-${row}`});
      const headers = {'content-type': 'application/json', 'idempotency-key': `bare-${row}`};
      await post(endpoints.activate.path, headers, body);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({length: parallel}, work));
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  return rows / seconds;
}
