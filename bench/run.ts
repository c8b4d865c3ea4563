/**
 * `npm run bench:run`: the cost of `connector run -- COMMAND` to a command. Needs Linux, one
 * minute on two quiet cores, and no network. `BENCH_ROUNDS` (default 25) is the number of starts that are timed.
 */
import {type ChildProcess, spawn} from 'node:child_process';
import {EventEmitter, once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {mkdtemp, realpath, rm} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {type Figure, mebibytes, median, milliseconds, table} from './figures.js';
import {rounds} from './startup/runs.js';
import {root} from './store/servers.js';

/** Maximum memory of a wrapper that waits, as a multiple of bare node. */
const mostMemory = 1.3;

const beatsPerDay = (24 * 60 * 60) / 60;

/** Seconds over which a waiting process is measured. */
const idleSeconds = 30;

/** Heartbeats over which the CPU time of one is measured. */
const measuredBeats = 20;

const bareNode = [process.execPath, '-e', 'setInterval(() => {}, 1e6)'];

/** The minimum for any wrapper in Node: it starts Node, which starts a command. */
const startByNode = [
  process.execPath,
  '-e',
  "require('child_process').spawn('sh', ['-c', 'echo up'], {stdio: 'inherit'})",
];

/** A service that accepts heartbeats, each on a new connection, as at an interval of a minute. */
async function acceptingService() {
  const accepted = new EventEmitter();
  let count = 0;
  const server = createServer((_request, response) => {
    response.writeHead(204, {connection: 'close'}).end();
    count += 1;
    accepted.emit('beat');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves after so many more heartbeats. */
    async beats(more: number) {
      const wanted = count + more;
      while (count < wanted) await once(accepted, 'beat');
    },
    close: () => server.close(),
  };
}

/** Milliseconds until a command has written its first byte. */
async function firstByte(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...words] = command;
  const startedAt = performance.now();
  const child = spawn(program, words, {env, stdio: ['ignore', 'pipe', 'inherit']});
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const took = performance.now() - startedAt;
  await exited;
  return took;
}

/** Resident memory of a process in bytes. */
function memory({pid}: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** CPU time of all threads of a process in milliseconds (proc(5), `schedstat`). */
function cpuTime({pid}: ChildProcess): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

/** CPU time in milliseconds of a process while something runs. */
async function spentDuring(child: ChildProcess, work: () => Promise<unknown>): Promise<number> {
  const before = cpuTime(child);
  await work();
  return cpuTime(child) - before;
}

/** The command line of a wrapped command. */
const wrapped = (flags: readonly string[], command: readonly string[]) => [
  ...[process.execPath, path.join(root, 'bin', 'run.js'), 'connector', 'run', 'con_1'],
  ...[...flags, '--', ...command],
];

/** The start of a wrapped command, compared with the command alone and below bare node. */
async function startFigures(env: NodeJS.ProcessEnv): Promise<Figure[]> {
  const command = ['sh', '-c', 'echo up'];
  // The first runs leave compiled code for the later ones.
  for (let run = 0; run < 2; run += 1) await firstByte(wrapped([], command), env);
  const [ours, alone, byNode]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await firstByte(wrapped([], command), env));
    alone.push(await firstByte(command, env));
    byNode.push(await firstByte(startByNode, env));
  }
  const figure = (
    what: string,
    times: readonly number[],
    name: string,
    others: readonly number[],
  ) => ({
    what,
    measured: milliseconds(median(times)),
    against: `${name}: ${milliseconds(median(others))}`,
    ratio: `+${milliseconds(median(times.map((time, round) => time - (others[round] ?? Number.NaN))))}`,
    target: '',
    reached: true,
  });
  return [
    figure('start of a wrapped command', ours, 'alone', alone),
    figure('start of a command below bare node', byNode, 'alone', alone),
    figure('start of a wrapped command', ours, 'started by bare node', byNode),
  ];
}

/** Memory and CPU time of a wrapper that waits, compared with bare node. */
async function waitingFigures(
  env: NodeJS.ProcessEnv,
  service: Awaited<ReturnType<typeof acceptingService>>,
): Promise<Figure[]> {
  const running: ChildProcess[] = [];
  const start = ([program = '', ...words]: readonly string[]) => {
    const child = spawn(program, words, {env, stdio: 'ignore'});
    running.push(child);
    return child;
  };
  try {
    const forever = ['sleep', '100000'];
    const beating = start(wrapped(['--every', '1s'], forever));
    const waiting = start(wrapped(['--every', '1h'], forever));
    const bare = start(bareNode);
    // More than the first ones, which load and compile what they need.
    await service.beats(10);
    const beats = await spentDuring(beating, () => service.beats(measuredBeats));
    const [idle, bareIdle] = await Promise.all(
      [waiting, bare].map((child) => spentDuring(child, () => sleep(idleSeconds * 1000))),
    );
    const perDay = (spent = Number.NaN) => (spent * 24 * 60 * 60) / idleSeconds;
    const day = (beats / measuredBeats) * beatsPerDay + perDay(idle);
    const [resident, bareResident] = [memory(waiting), memory(bare)];
    return [
      {
        what: 'resident memory while it waits',
        measured: mebibytes(resident),
        against: `bare node: ${mebibytes(bareResident)}`,
        ratio: `${(resident / bareResident).toFixed(2)} ×`,
        target: `≤ ${mostMemory} ×`,
        reached: resident / bareResident <= mostMemory,
      },
      {
        what: 'CPU time of a day, one heartbeat a minute',
        measured: `${(day / 1000).toFixed(1)} s`,
        against: `bare node, idle: ${(perDay(bareIdle) / 1000).toFixed(1)} s`,
        ratio: `${(day / 864_000).toFixed(3)} % of a core`,
        target: '',
        reached: true,
      },
    ];
  } finally {
    for (const child of running) child.kill('SIGTERM');
  }
}

const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'connectorctl-enroll-')));
const service = await acceptingService();
try {
  const env = {
    PATH: process.env['PATH'],
    // The compiled code of the program is kept below it.
    HOME: directory,
    CONNECTORCTL_BASE_URL: service.url,
    CONNECTORCTL_API_KEY: 'a-key',
  };
  const figures = [...(await startFigures(env)), ...(await waitingFigures(env, service))];
  const [cpu] = os.cpus();
  console.log(`Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}`);
  console.log(`\n${table(figures)}`);
  process.exitCode = figures.every(({reached}) => reached) ? 0 : 1;
} finally {
  service.close();
  await rm(directory, {recursive: true, force: true});
}
