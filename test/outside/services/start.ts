import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {closedPort, untilListening} from '../../support/network/ports.js';
import {root} from '../../support/sources.js';
import {npmPackages} from '../installed.js';
import type {ProgramName} from '../programs.js';

const apps = join(root, 'test', 'outside', 'services', 'apps');

/** A service that a framework makes with its defaults: its file in `apps`, and how it is run. */
export interface Service {
  readonly program: ProgramName;
  /** What distinguishes it from others of the same framework. */
  readonly variant?: string;
  /** The words that start it at a port, below `apps`. */
  readonly command: (port: number) => readonly [program: string, ...words: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Seconds after which it closes an idle connection, by its documentation or source; `run` sends its heartbeats at
   * this interval. Default: 5, as `keepAliveTimeout` of Node.js ("default 5000", @types/node) and `timeout_keep_alive`
   * of Uvicorn 0.17 (config.py), and where a service closes each connection, or none within a minute.
   */
  readonly keepAlive?: number;
  /** What it answers to an unknown id, an unknown token and a used one, as the user reads it. */
  readonly refusals: readonly [id: RegExp, token: RegExp, used: RegExp];
  /** The rules of the interface that it breaks, by their checks, besides ids that are no text. */
  readonly breaks?: readonly string[];
  /** What the tests meet there that may surprise: a command, and what it writes with `--debug`. */
  readonly surprise?: readonly [argv: readonly string[], shown: RegExp];
}

const node = (file: string) => () => [process.execPath, `${file}.cjs`] as const;
const python = (...words: string[]) => ['/usr/bin/python3', '-B', ...words] as const;
const same = [/there is no such connector/, /this token is unknown/, /used already/] as const;

const ofNode = {refusals: same} as const;
const list = ['connector', 'list', '-o', 'csv'] as const;
const beat = ['connector', 'heartbeat'] as const;
const ofDjango = (variant: string) => ({
  program: 'restFramework' as const,
  variant,
  env: {PAGINATION: variant},
  command: () => python('rest_framework_app.py'),
  // The text of a field of the request is not read yet.
  refusals: [/404 Not Found/, /400 Bad Request|this token is unknown/, /used already/] as const,
});

/** Where a POST without a slash is redirected with 301. */
const redirected = ['4.1/creates', '4.2/activates', '4.5/accepts'];

/** The services. */
export const services: readonly Service[] = [
  {
    program: 'fastapi',
    command: (port) =>
      python('-m', 'uvicorn', '--log-level', 'error', '--port', `${port}`, 'fastapi_app:app'),
    refusals: same,
    breaks: ['4.1/expires-at'],
    // A number in JSON, with more digits than a number of JavaScript has.
    surprise: [list, /^9007199254740993,/m],
  },
  ofDjango('PageNumberPagination'),
  ofDjango('LimitOffsetPagination'),
  {...ofDjango('CursorPagination'), breaks: redirected, surprise: [beat, /\b301\b/]},
  {
    program: 'flask',
    command: (port) => python('-m', 'flask', '--app', 'flask_app', 'run', '--port', `${port}`),
    refusals: [/404 Not Found/, /400 Bad Request/, /409 Conflict/],
  },
  {
    program: 'sinatra',
    command: () => ['/usr/bin/ruby', 'sinatra_app.rb'],
    // `PERSISTENT_TIMEOUT` of Puma 5.6, lib/puma/const.rb.
    keepAlive: 20,
    refusals: same,
  },
  {
    program: 'php',
    command: (port) => ['/usr/bin/php', '-S', `127.0.0.1:${port}`, 'php_app.php'],
    refusals: same,
  },
  {
    program: 'express',
    command: node('express'),
    ...ofNode,
    refusals: [/404 Not Found|no such connector/, /unknown|400/, /used already|409/],
  },
  {program: 'nest', command: node('nest'), ...ofNode},
  {
    program: 'feathers',
    command: node('feathers'),
    ...ofNode,
    refusals: [/No record found for id '99999'/, /this token is unknown/, /used already/],
  },
  {
    program: 'hapi',
    command: node('hapi'),
    ...ofNode,
    // hapi sends a length with all but what it compresses.
    surprise: [
      list,
      /> accept-encoding: gzip.*< vary: accept-encoding\n.*< transfer-encoding: chunked/s,
    ],
  },
  {program: 'fastify', command: node('fastify'), ...ofNode, surprise: [beat, /^< 202/m]},
  {program: 'koa', command: node('koa'), ...ofNode, surprise: [beat, /^< 204/m]},
  {program: 'moleculer', command: node('moleculer'), ...ofNode},
  {
    program: 'jsonServer',
    command: node('json-server'),
    ...ofNode,
    refusals: [/404 Not Found/, /unknown|400/, /used already|409/],
  },
  {program: 'gin', command: () => [join(built(), 'gin')], refusals: same},
  {
    program: 'javaHttpServer',
    command: () => ['java', '-XX:TieredStopAtLevel=1', 'JavaApp.java'],
    // `sun.net.httpserver.idleInterval`: "default: 30 sec", of the module jdk.httpserver.
    keepAlive: 30,
    refusals: same,
  },
];

/** Laravel's paginators, which only list. */
export const laravel: readonly Service[] = ['page', 'simple', 'cursor'].map((variant) => ({
  program: 'illuminate',
  variant,
  command: (port) => ['/usr/bin/php', '-S', `127.0.0.1:${port}`, 'laravel.php'],
  env: {PAGINATION: variant},
  refusals: same,
}));

let directory: string | undefined;

/** A directory for what the services write. */
function state(): string {
  directory ??= mkdtempSync(join(tmpdir(), 'connectorctl-services-'));
  return directory;
}

/** The directory of the compiled program of Go, which Debian's packages build without a network. */
function built(): string {
  const at = join(state(), 'go');
  const env = {...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: at};
  const words = ['build', '-o', join(at, 'gin'), join(apps, 'gin_app.go')];
  const {status, stderr} = spawnSync('go', words, {env, encoding: 'utf8'});
  if (status !== 0) throw new Error(stderr);
  return at;
}

export type Running = Awaited<ReturnType<typeof startService>>;

/** Starts a service on a free port, and waits until it listens. */
export async function startService({command, env}: Service) {
  const port = await closedPort();
  const [program, ...words] = command(port);
  const child = spawn(program, words, {
    cwd: apps,
    env: {
      ...process.env,
      ...env,
      PORT: `${port}`,
      STATE: join(state(), `${port}.db`),
      NODE_PATH: npmPackages,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  await untilListening(port, child).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${await said}`);
  });
  return {
    url,
    /** Replaces the connectors by `count` others, named web-1 and so on. */
    async fill(count: number): Promise<void> {
      const {status} = await fetch(`${url}/fill/${count}`, {method: 'PUT'});
      if (status >= 300) throw new Error(`fill: ${status}`);
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Removes what the services wrote. */
export function removeState(): void {
  if (directory !== undefined) rmSync(directory, {recursive: true, force: true, maxRetries: 10});
}
