import {type ChildProcess, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdtemp, readFile, realpath, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import type {Request} from 'autocannon';
import {root} from '../scripts/build/root.js';
import {untilListening} from '../test/support/network/ports.js';
import {findProgram} from '../test/support/postgres/binaries.js';

/** Linux counts CPU time in hundredths of a second (`getconf CLK_TCK`). */
const microsecondsPerTick = 10_000;

/** What a load is sent to. */
export interface Server {
  readonly port: number;
  /** CPU time so far in microseconds, user and system, of all threads and child processes. */
  cpuTime(): Promise<number>;
  stop(): Promise<void>;
}

/** A server that works through another one, of which it has the port. */
export function together(first: Server, second: Server): Server {
  return {
    port: first.port,
    cpuTime: async () => (await first.cpuTime()) + (await second.cpuTime()),
    async stop() {
      await first.stop();
      await second.stop();
    },
  };
}

/** CPU time so far in microseconds of a process and of its children (proc(5), `stat`). */
async function cpuTimeOf(pid: number | string | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // After the name of the program, which may hold spaces: fields 3 and up. Four are user and system, own and of the
  // children that have ended.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const times = await Promise.all(children.split(' ').filter(Boolean).map(cpuTimeOf));
  return times.reduce((sum, time) => sum + time, own * microsecondsPerTick);
}

/** A server in a separate process. */
export class ServerProcess implements Server {
  readonly port: number;
  /** Milliseconds from the start of the process until it listened. */
  readonly startMilliseconds: number;
  readonly #child: ChildProcess;
  #logBytes = 0;

  private constructor(child: ChildProcess, port: number, startMilliseconds: number) {
    this.#child = child;
    this.port = port;
    this.startMilliseconds = startMilliseconds;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#logBytes += chunk.length;
    });
  }

  /** Starts `node` with some arguments and waits for a line on stdout that ends in a port. */
  static async start(args: readonly string[]): Promise<ServerProcess> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'pipe']});
    if (child.stdout === null) throw new Error('the server has no output');
    for await (const line of createInterface({input: child.stdout})) {
      const port = /:(\d+)\/?$/.exec(line)?.[1];
      if (port === undefined) continue;
      child.stdout.resume();
      return new ServerProcess(child, Number(port), performance.now() - startedAt);
    }
    throw new Error(`${args.join(' ')}: ended without listening`);
  }

  /** Starts a program and waits until it accepts connections. */
  static async run(program: string, args: readonly string[], port: number): Promise<ServerProcess> {
    const child = spawn(findProgram(program) ?? program, args, {stdio: 'ignore'});
    await untilListening(port, child);
    return new ServerProcess(child, port, Number.NaN);
  }

  /** Starts `node` and waits for nothing. */
  static launch(args: readonly string[], options: {env: NodeJS.ProcessEnv}): ServerProcess {
    return new ServerProcess(spawn(process.execPath, args, {...options, stdio: 'ignore'}), 0, 0);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  cpuTime(): Promise<number> {
    return cpuTimeOf(this.#child.pid);
  }

  /** Bytes of the log since the server listened. */
  get logBytes(): number {
    return this.#logBytes;
  }

  /** Resident memory in bytes, current and peak. */
  async memory(): Promise<{now: number; peak: number}> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    const field = (name: string): number =>
      Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
    return {now: field('VmRSS'), peak: field('VmHWM')};
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** The built `connectorctl serve` on a store. @param options of Node.js */
export function startServe(
  directory: string,
  log = process.env['BENCH_LOG_LEVEL'] ?? 'warn',
  options: readonly string[] = [],
): Promise<ServerProcess> {
  const command = [path.join(root, 'bin/run.js'), 'serve', '--port', '0'];
  return ServerProcess.start([...options, ...command, '--store', directory, '--log-level', log]);
}

/** What a bare server sends. Default: 200, and the content type of JSON. */
interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A bare `node:http` server that sends the same bytes for every request, and stores nothing.
 *
 * @param others by the last word of a path, the responses to requests to it
 */
export async function startBare(
  response: Response,
  others: Readonly<Record<string, Response>> = {},
): Promise<ServerProcess> {
  const program = `
    const {createServer} = require('node:http');
    const {readFileSync} = require('node:fs');
    const read = ({status = 200, headers = {'content-type': 'application/json'}, body}) => ({status, headers, body: Buffer.from(body)});
    const [response, others] = JSON.parse(readFileSync(process.argv[1], 'utf8'));
    const usual = read(response);
    const words = new Map(Object.entries(others).map(([word, other]) => [word, read(other)]));
    const server = createServer((request, response) => {
      const word = request.url.slice(request.url.lastIndexOf('/') + 1);
      const {status, headers, body} = words.get(word) ?? usual;
      response.writeHead(status, headers);
      response.end(body);
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
    process.on('SIGTERM', () => process.exit(0));
  `;
  // A list is too long for an argument.
  const file = path.join(tmpdir(), `connectorctl-bench-${randomUUID()}.json`);
  await writeFile(file, JSON.stringify([response, others]));
  try {
    return await ServerProcess.start(['--eval', program, file]);
  } finally {
    await rm(file);
  }
}

/** The response of a server to a request, for `startBare`. */
export async function captureResponse(
  port: number,
  request: Request | undefined,
): Promise<Response> {
  const {method = 'GET', path: target = '/', headers = {}, body} = request ?? {};
  const init = {method, headers: headers as Record<string, string>, ...(body && {body})};
  const response = await fetch(`http://127.0.0.1:${port}${target}`, init);
  const own = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
  const kept = [...response.headers].filter(([name]) => !own.includes(name));
  const text = await response.text();
  return {status: response.status, headers: Object.fromEntries(kept), body: text};
}

/** Uses a temporary directory, and removes it also after an error. */
export async function inDirectory<Result>(
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), 'connectorctl-bench-')));
  try {
    return await use(directory);
  } finally {
    await rm(directory, {recursive: true, force: true});
  }
}

/** Uses servers, and stops them also after an error. */
export async function using<Starts extends readonly Promise<{stop(): Promise<void>}>[], Result>(
  starts: readonly [...Starts],
  use: (servers: {[Index in keyof Starts]: Awaited<Starts[Index]>}) => Promise<Result>,
): Promise<Result> {
  const started = await Promise.allSettled(starts);
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    return await use(servers as {[Index in keyof Starts]: Awaited<Starts[Index]>});
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
