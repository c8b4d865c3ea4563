import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {constants} from 'node:os';
import {join, relative} from 'node:path';
import {text} from 'node:stream/consumers';
import {executable} from '../../../scripts/build/executable.js';
import {refuseStale} from '../build/fresh.js';
import type {CommandRun} from '../command/run-command.js';
import {root} from '../sources.js';
import {atEndOfTest} from './at-end-of-test.js';
import {noHome} from './environment.js';
import {testTarget} from './target.js';

/** The program that runs the command line, and its first arguments. */
export const program: readonly string[] = {
  bundle: [process.execPath, join(root, 'bin', 'run.js')],
  executable: [executable],
}[testTarget];
if (testTarget === 'executable') {
  refuseStale(relative(root, executable), 'npm run build:executable');
} else {
  refuseStale('dist/start.cjs');
}

/** The start of a warning of Node.js, of which a program of ours causes none. */
export const nodeWarning = /^\(node:\d+\) /m;

const {PATH, TMPDIR, TEST_CACHE} = process.env;

/**
 * What a process of the tests inherits: where programs are, where temporary files belong, and in a whole run a
 * directory for compiled code, which halves the time of a start.
 */
export const inherited: Readonly<Record<string, string>> = {
  ...(PATH !== undefined && {PATH}),
  ...(TMPDIR !== undefined && {TMPDIR}),
  ...(TEST_CACHE !== undefined && {XDG_CACHE_HOME: TEST_CACHE}),
};

export interface ChildOptions {
  /** The whole environment beside PATH, TMPDIR and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** The content of stdin; without it stdin is closed. */
  readonly input?: string;
  readonly home?: string;
  /** Starts a session of its own: no terminal of the tests sends it signals. */
  readonly hasSession?: boolean;
  /** A command that runs the command line, for instance a shell that sets limits first. */
  readonly under?: readonly string[];
}

/** Starts the command line as its own process, whose output the caller reads. */
export function spawnChild(
  argv: readonly string[],
  {env, input, home, hasSession = false, under = []}: ChildOptions,
): ChildProcess {
  const [command = '', ...words] = [...under, ...program, ...argv];
  return spawn(command, words, {
    detached: hasSession,
    env: {...inherited, HOME: home ?? noHome, ...env},
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

/** A command line that runs as its own process, and its result. */
interface RunningCommand {
  readonly process: ChildProcess;
  /** The result; if a signal killed the process, its code is the one that a shell shows. */
  readonly ended: Promise<CommandRun>;
}

/** Starts the command line as its own process. */
export function startChild(argv: readonly string[], options: ChildOptions = {}): RunningCommand {
  const child = spawnChild(argv, options);
  child.stdin?.end(options.input);
  return {process: child, ended: resultOf(child)};
}

/** What a process writes, and how it ends. */
export async function resultOf(child: ChildProcess): Promise<CommandRun> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return {code: code ?? 128 + constants.signals[signal as NodeJS.Signals], stdout, stderr};
}

/** Writes an executable `connectorctl` into a directory; `before` are shell lines that run first. */
export function installProgram(directory: string, before = ''): void {
  const words = program.map((word) => `'${word}'`).join(' ');
  const script = `#!/bin/sh\n${before}exec ${words} "$@"\n`;
  writeFileSync(join(directory, 'connectorctl'), script, {mode: 0o755});
}

interface ScriptOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly shell?: string;
}

/**
 * Runs a shell in a directory that is also its home, with `connectorctl` on the path. It takes two minutes at most, and
 * what it leaves running ends with it.
 */
export async function runScript(
  words: readonly string[],
  {directory, env, shell = 'sh'}: ScriptOptions,
): Promise<CommandRun> {
  installProgram(directory);
  const child = spawn(shell, words, {
    cwd: directory,
    detached: true,
    env: {...inherited, PATH: `${directory}:${PATH}`, HOME: directory, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  const timer = setTimeout(kill, 120_000);
  child.once('exit', kill);
  return resultOf(child).finally(() => clearTimeout(timer));
}

/** Runs the command line as its own process, as people and scripts do. */
export function runChild(argv: readonly string[], options: ChildOptions = {}): Promise<CommandRun> {
  return startChild(argv, options).ended;
}

/** Runs the command line, and reads the most memory that it had, in MiB; it writes it into `file`. */
export async function runMeasured(
  argv: readonly string[],
  {file, env, ...options}: ChildOptions & {readonly file: string},
): Promise<CommandRun & {readonly mebibytes: number}> {
  const NODE_OPTIONS = `--require="${join(root, 'test/support/preload/peak-memory.cjs')}"`;
  const result = await runChild(argv, {
    ...options,
    env: {...env, NODE_OPTIONS, PEAK_MEMORY_FILE: file},
  });
  return {...result, mebibytes: Number(readFileSync(file, 'utf8'))};
}

/** Collects the output of a process while it runs. */
export function watchOutput(child: ChildProcess) {
  const written = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      written[name] += chunk;
      child.emit('wrote');
    });
  }
  // Not at its exit: then some of its output may not be read yet.
  const ended = once(child, 'close').then(([code, signal]) => ({code, signal}));
  return {
    /** All of it so far. */
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    /** Resolves once stdout and stderr together match; rejects if the process ends first. */
    async until(
      pattern: RegExp,
      streams: readonly ('stdout' | 'stderr')[] = ['stdout', 'stderr'],
    ): Promise<void> {
      while (!pattern.test(streams.map((name) => written[name]).join(''))) {
        const over = ended.then(({code}) => {
          throw new Error(`ended with ${code} before ${pattern}: ${JSON.stringify(written)}`);
        });
        await Promise.race([once(child, 'wrote'), over]);
      }
    },
    /** The exit code, or the signal that killed it. */
    ended: (): Promise<{code: number | null; signal: NodeJS.Signals | null}> => ended,
  };
}

/** A running `serve` and its output. */
export type Service = Awaited<ReturnType<typeof startServe>>;

/** Starts `serve` on a free port with a store and waits until it listens. */
export function startService(
  store: string,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Promise<Service> {
  return startServe(['--store', store, ...args], options);
}

/** Starts `serve` on a free port and waits until it listens. It is killed with the test that starts it. */
export async function startServe(args: readonly string[], options: ChildOptions = {}) {
  const child = spawnChild(['serve', '--port', '0', ...args], options);
  const output = watchOutput(child);
  atEndOfTest(() => stop('SIGKILL'));
  await output.until(/\n/, ['stdout']);
  /** Sends a signal and waits for the end of the process and of its output. */
  function stop(signal: NodeJS.Signals = 'SIGTERM') {
    child.kill(signal);
    return output.ended();
  }
  return {
    ...output,
    stop,
    url: output.stdout().trim(),
    process: child,
  };
}

/** Waits for the API key of a sandbox, which shows it once it listens. */
export async function shownKey(sandbox: Service): Promise<string> {
  await sandbox.until(/CONNECTORCTL_API_KEY=\S+\n/);
  return /CONNECTORCTL_API_KEY=(\S+)/.exec(sandbox.stderr())?.[1] ?? '';
}

/** Waits for the path of the first API key of a service, which names it once it listens. */
export async function firstKeyFile(service: Service): Promise<string> {
  await service.until(/CONNECTORCTL_API_KEY_FILE=\S+\n/);
  return /CONNECTORCTL_API_KEY_FILE=(\S+)/.exec(service.stderr())?.[1] ?? '';
}
