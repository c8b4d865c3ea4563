import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {hashSecret} from '../../src/domain/secret.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const microsecondsPerTick = 10_000;

/** A server in a separate process. */
export class ServerProcess {
  readonly port: number;
  /** Milliseconds from the start of the process until it listened. */
  readonly startMilliseconds: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, startMilliseconds: number) {
    this.#child = child;
    this.port = port;
    this.startMilliseconds = startMilliseconds;
  }

  /** Starts `node` with some arguments and waits for a line on stdout that ends in a port. */
  static async start(args: readonly string[], listens = /:(\d+)\/?$/): Promise<ServerProcess> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'ignore']});
    if (child.stdout === null) throw new Error('the server has no output');
    for await (const line of createInterface({input: child.stdout})) {
      const port = listens.exec(line)?.[1];
      if (port === undefined) continue;
      child.stdout.resume();
      return new ServerProcess(child, Number(port), performance.now() - startedAt);
    }
    throw new Error(`${args.join(' ')}: ended without listening`);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Processor time so far in microseconds, user and system, of all threads (proc(5), `stat`). */
  async processorTime(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'latin1');
    // After the name of the program, which may hold spaces: fields 3 and up.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
  }

  /** Resident memory in bytes, current and peak. */
  async memory(): Promise<{now: number; peak: number}> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    const field = (name: string): number =>
      Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
    return {now: field('VmRSS'), peak: field('VmHWM')};
  }

  /** Resets the peak (proc(5), `clear_refs`). */
  async resetPeak(): Promise<void> {
    await writeFile(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** The built `connectorctl serve` on a store. */
export function startServe(directory: string): Promise<ServerProcess> {
  const log = process.env['BENCH_LOG_LEVEL'] ?? 'warn';
  const run = path.join(root, 'bin/run.js');
  return ServerProcess.start([
    run,
    'serve',
    '--port',
    '0',
    '--store',
    directory,
    '--log-level',
    log,
  ]);
}

/** A bare `node:http` server that sends the same bytes for every request, and stores nothing. */
export function startBare(response: string): Promise<ServerProcess> {
  const program = `
    const {createServer} = require('node:http');
    const {status, headers, body} = JSON.parse(process.argv[1]);
    const server = createServer((request, response) => {
      response.writeHead(status, headers);
      response.end(body);
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
    process.on('SIGTERM', () => process.exit(0));
  `;
  return ServerProcess.start(['--eval', program, response]);
}

/** The response of a server to a request, for `startBare`. */
export async function captureResponse(port: number, request: Buffer): Promise<string> {
  const [line = '', ...fields] = request.toString().trimEnd().split('\r\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = new Headers(
    fields
      .map((field) => field.split(': ') as [string, string])
      .filter(([name]) => name.toLowerCase() === 'authorization'),
  );
  const response = await fetch(`http://127.0.0.1:${port}${target}`, {method, headers});
  const own = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
  const kept = [...response.headers].filter(([name]) => !own.includes(name));
  const body = await response.text();
  return JSON.stringify({status: response.status, headers: Object.fromEntries(kept), body});
}

/** Installs a package for a benchmark alone, on first use; returns the directory of its `node_modules`. */
function install(name: string, version: string): string {
  const home = path.join(root, '.bench', name);
  if (!existsSync(path.join(home, 'node_modules', name))) {
    const args = ['install', '--prefix', home, '--no-save', `${name}@${version}`];
    if (spawnSync('npm', args, {stdio: 'ignore'}).status !== 0) {
      throw new Error(`${name} could not be installed`);
    }
  }
  return path.join(home, 'node_modules');
}

/**
 * The five routes on Fastify and better-sqlite3 (`contender.ts`), on a new database. The package is
 * compiled at its installation where its binary cannot be downloaded, which takes some minutes.
 */
export function startContender(directory: string, connectors: number): Promise<ServerProcess> {
  const packages = install('better-sqlite3', '12.11.1');
  const program = fileURLToPath(new URL('contender.ts', import.meta.url));
  const database = path.join(directory, 'contender.sqlite');
  return ServerProcess.start([
    ...['--import', 'tsx', program],
    ...[`${packages}/`, database, String(connectors)],
  ]);
}

/** json-server 1.x on some records, started as its documentation says; installed on first use. */
export async function startJsonServer(directory: string, records: number): Promise<ServerProcess> {
  const bin = path.join(install('json-server', '1.0.0-beta.3'), 'json-server/lib/bin.js');
  const connectors = Array.from({length: records}, (_, number) => ({
    id: String(number),
    name: `connector-${number}`,
    organization: 'default',
    key_hash: hashSecret(`${number}`),
    activated_at: new Date().toISOString(),
    last_heartbeat_at: new Date().toISOString(),
  }));
  const database = path.join(directory, 'db.json');
  await writeFile(database, JSON.stringify({connectors}));
  // It cannot choose a free port itself.
  const port = String(await freePort());
  return ServerProcess.start([bin, database, '--port', port], /localhost:(\d+)/);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** The write of json-server that is most similar to a heartbeat. */
export function jsonServerWrites(records: number): () => Buffer {
  const body = JSON.stringify({last_heartbeat_at: new Date().toISOString()});
  let sent = 0;
  return () => {
    sent += 1;
    const head = [
      `PATCH /connectors/${sent % records} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
