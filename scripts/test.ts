// Runs a suite of the tests, or its files below some paths: `npm test`, `npm run test:all -- test/client`. The
// suites are below; CONTRIBUTING.md tells when to use which. The last line of the output has the totals; a run
// that crashes counts as a failure. With TEST_TOTALS, the failures and that line are also appended to this file.
// A run that is interrupted has no totals, and exits with 128 and the number of the signal, as in a shell.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import {availableParallelism, constants, tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {PostgresCluster} from '../test/support/postgres/cluster.js';
import {noHome} from '../test/support/process/environment.js';
import {root} from './build/root.js';

interface Suite {
  /** The npm scripts to run: the first before the tests, with the second beside it; the others beside the tests. */
  readonly checks?: readonly string[];
  readonly has: (file: string) => boolean;
  /** The number of files that run at a time, unless TEST_JOBS sets it. */
  readonly jobs?: number;
}

const isFast = (file: string) => file.endsWith('.test.ts');
const isForExecutable = (file: string) => file.startsWith('test/distribution/executable/');
const isOutside = (file: string) => file.startsWith('test/outside/');
const isApart = (file: string) => isForExecutable(file) || isOutside(file);
const isCluster = (file: string) =>
  /^test\/(store\/postgres\/citus|outside\/clusters\/patroni)\./.test(file);
const needsPostgres = (file: string) => /^test\/store\/(?!json-file\/)/.test(file);
const isEndToEnd = (file: string) => file.startsWith('test/e2e/');
/** Slow tests of what differs between the bundle and the executable: the start, streams, signals and terminals. */
const isOfProcess = (file: string) =>
  /^test\/(outside\/shells\/completion|e2e\/(environment|interrupts|prompts))\./.test(file);
const checks = ['build', 'lint', 'types'];

const suites: Readonly<Record<string, Suite>> = {
  fast: {checks, has: isFast},
  // The fast ones, of the build that is there; see test-versions.ts.
  built: {has: isFast},
  all: {checks, has: (file) => !isApart(file)},
  // The others of `all`, of the build that is there.
  slow: {has: (file) => !isFast(file) && !isApart(file)},
  clusters: {has: isCluster},
  // With programs that others made, most of whose time is waiting.
  outside: {checks: ['build'], has: isOutside, jobs: 8},
  executable: {
    has: (file) => isForExecutable(file) || isOfProcess(file) || (isFast(file) && isEndToEnd(file)),
  },
  'without-postgres': {
    checks: ['build'],
    has: (file) => !isApart(file) && !needsPostgres(file),
  },
};

/** Those that start many processes, or wait, go first, so that no worker ends long before the others. */
const firstDirectories = ['e2e', 'store', 'security', 'cli', 'server'];

function filesOf({has}: Suite, paths: readonly string[]): string[] {
  const rank = (file: string) => {
    const at = firstDirectories.indexOf(file.split('/')[1] ?? '');
    return (file.endsWith('.spec.ts') ? 0 : 10) + (at === -1 ? firstDirectories.length : at);
  };
  return readdirSync(join(root, 'test'), {recursive: true, encoding: 'utf8'})
    .filter((path) => /\.(test|spec)\.ts$/.test(path))
    .map((path) => `test/${path}`)
    .filter((file) => has(file))
    .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The signal that interrupted the run. What the tests left behind is still removed. */
let signal: NodeJS.Signals | undefined;
const running = new Set<ChildProcess>();

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    signal = name;
    for (const child of running) child.kill(name);
  });
}

/** The exit code of a process that is interrupted with this one; null after a signal. */
async function endOf(child: ChildProcess): Promise<number | null> {
  running.add(child);
  const [code] = await once(child, 'close');
  running.delete(child);
  return code;
}

/** Runs npm scripts side by side, and shows the output of those that fail. */
async function check(names: readonly string[]): Promise<boolean> {
  const runs = names.map(async (name) => {
    const child = spawn('npm', ['run', '--silent', name], {cwd: root, stdio: 'pipe'});
    const ended = endOf(child);
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code === 0 || signal !== undefined) return code === 0;
    fail(`${out}${err}${name} failed. Run it again:\n  npm run ${name}\n`);
    return false;
  });
  return (await Promise.all(runs)).every(Boolean);
}

// The terminal was closed.
process.stdout.on('error', () => undefined);

type Totals = readonly [passed: number, failed: number];

/** What has failed, to be repeated at the end of several runs. */
let failures = '';

function fail(text: string): void {
  process.stdout.write(text);
  failures += text;
}

/** Runs mocha on the files, several in parallel. */
async function run(
  files: readonly string[],
  jobs: number,
  env: NodeJS.ProcessEnv,
): Promise<Totals> {
  const mocha = join(root, 'node_modules', '.bin', 'mocha');
  const mode = jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : [];
  const stdio = ['inherit', 'pipe', 'inherit'] as const;
  // Without colors, of which a log would have more than of text.
  const child = spawn(mocha, ['--no-colors', '--reporter', 'dot', ...mode, ...files], {
    cwd: root,
    env,
    stdio: [...stdio],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    process.stdout.write(part);
    output += part;
  });
  const code = await endOf(child);
  const summary = output.search(/^ {2}\d+ passing/m);
  const totals = summary === -1 ? '' : output.slice(summary);
  const count = (what: string) =>
    Number(new RegExp(`^ {2}(\\d+) ${what}\\b`, 'm').exec(totals)?.[1] ?? 0);
  if (code !== 0) failures += totals || output.slice(-2000);
  // One that crashed has no totals.
  return [count('passing'), Math.max(count('failing'), code === 0 ? 0 : 1)];
}

/** The running descendants of this process that have the directory in their PATH. */
function processesOf(directory: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/environ`, 'latin1').includes(directory);
    } catch {
      return false;
    }
  });
}

/** Milliseconds to wait for a process that is about to end, also on a busy machine. */
const endTimeout = 5000;

/** Ends the processes that the tests left, each of which is a failure unless the run was interrupted. */
async function endProcesses(directory: string): Promise<number> {
  // Interrupted tests do not end their processes.
  const deadline = performance.now() + (signal === undefined ? endTimeout : 0);
  while (processesOf(directory).length > 0 && performance.now() < deadline) await sleep(20);
  const ids = processesOf(directory);
  for (const id of ids) {
    const words = readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ');
    if (signal === undefined) fail(`left running by a test: ${words}\n`);
    process.kill(Number(id), 'SIGKILL');
  }
  return ids.length;
}

/**
 * Runs the stages of a suite in a temporary directory, which is removed with what the tests left in it.
 *
 * @param built whether the build succeeded; the database starts beside it
 */
async function runStages(
  files: readonly string[],
  jobs: number,
  built: Promise<boolean>,
): Promise<Totals> {
  if (files.length === 0) throw new Error('There are no test files below these paths.');
  // The path of a Unix socket in it, of about a hundred bytes, must not be too long.
  const temporary = tmpdir().length > 30 ? '/tmp' : tmpdir();
  const directory = mkdtempSync(join(temporary, 'connectorctl-tests-'));
  // Also when this process ends early.
  process.once('exit', () => rmSync(directory, {recursive: true, force: true, maxRetries: 10}));
  // PostgreSQL runs as another user.
  chmodSync(directory, 0o711);
  process.env['TMPDIR'] = directory;
  const isShared = files.some(needsPostgres) && !process.env['TEST_DATABASE_URL'];
  const database = isShared ? await PostgresCluster.make() : undefined;
  try {
    await database?.start();
    if (!(await built)) return [0, 1];
    const notices = join(directory, 'notices');
    const environment = {
      ...process.env,
      // Where tsx keeps what it has compiled, also for the next run. The tests use the other: test/support/hooks.ts.
      TMPDIR: temporary,
      TEST_TMPDIR: directory,
      TEST_NOTICES: notices,
      ...(database && {TEST_DATABASE_URL: database.url()}),
      HOME: noHome,
      TEST_CACHE: join(directory, 'cache'),
      // Also identifies the processes of the tests.
      PATH: [process.env['PATH'], join(directory, 'bin')].join(delimiter),
    };
    let [passed, failed] = [0, 0];
    for (const [stage, atOnce] of [
      [files.filter((file) => !isCluster(file)), jobs],
      [files.filter(isCluster), 1],
    ] as const) {
      if (stage.length === 0 || signal !== undefined) continue;
      const totals = await run(stage, atOnce, environment);
      [passed, failed] = [passed + totals[0], failed + totals[1]];
    }
    failed += await endProcesses(join(directory, 'bin'));
    if (existsSync(notices)) {
      const lines = new Set(readFileSync(notices, 'utf8').trim().split('\n'));
      process.stdout.write(`${[...lines].sort().join('\n')}\n`);
    }
    return [passed, failed];
  } finally {
    await database?.remove();
  }
}

async function main(): Promise<void> {
  const [name = '', ...paths] = process.argv.slice(2);
  const suite = suites[name];
  if (suite === undefined) {
    process.stderr.write(`test: name a suite: ${Object.keys(suites).join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  const start = performance.now();
  let [passed, failed]: Totals = [0, 1];
  try {
    const {checks: [first, second, ...others] = [], jobs = availableParallelism() + 1} = suite;
    const all = (name?: string) => (name === undefined ? Promise.resolve(true) : check([name]));
    const [built, early] = [all(first), all(second)];
    const late = built.then((isBuilt) => !isBuilt || check(others));
    const atOnce = Number(process.env['TEST_JOBS']) || jobs;
    const totals = await runStages(filesOf(suite, paths), atOnce, built);
    const isChecked = [await early, await late].every(Boolean);
    [passed, failed] = [totals[0], totals[1] + (isChecked ? 0 : 1)];
  } catch (error) {
    if (signal === undefined) console.error(error);
  }
  if (signal !== undefined) {
    process.stdout.write(`\nInterrupted by ${signal}: the tests did not run to the end.\n`);
    process.exitCode = 128 + constants.signals[signal];
    return;
  }
  const totals = `${passed} passed, ${failed} failed\n`;
  const {TEST_TOTALS} = process.env;
  if (TEST_TOTALS) {
    const told = failures && `Node.js ${process.version}, ${name}:\n${failures}`;
    appendFileSync(TEST_TOTALS, `${told}${totals}`);
  }
  process.stdout.write(`In ${Math.round((performance.now() - start) / 1000)} s:\n${totals}`);
  if (failed > 0) process.exitCode = 1;
}

await main();
