import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import type {Request} from 'autocannon';
import {root} from '../../scripts/build/root.js';
import {closedPort} from '../../test/support/network/ports.js';
import {findProgram} from '../../test/support/postgres/binaries.js';
import type {Databases} from '../postgres/databases.js';
import {captureResponse, type Server, ServerProcess, startBare, together} from '../servers.js';

/** What a peer is started with. */
interface Start {
  /** A directory that does not exist. */
  readonly directory: string;
  /** `serve`, and the heartbeats that it gets. */
  readonly serve: Server;
  readonly requests: readonly Request[];
  /** The number of connectors. */
  readonly fleet: number;
  readonly databases: Databases;
}

/** What somebody would pick to record heartbeats. */
export interface Peer {
  readonly name: string;
  /** When a change is on disk. */
  readonly sync: string;
  /** The least ratio of the rates, and the largest of the CPU times of `serve` and the peer. */
  readonly targets: readonly [least: number, most?: number];
  /** Programs, and a package of npm. */
  readonly needs: readonly string[];
  version(): string;
  /** @returns its server, and the requests that make it do what a heartbeat is; default: the heartbeats */
  start(options: Start): Promise<{server: Server; requests?: readonly Request[]}>;
}

/** Where `.ci/run` installs the packages of npm that tests run against. */
const npmPackages = path.join(root, '.cache/outside/node_modules');
const express = path.join(npmPackages, 'express');

/** A service with no more than `pg` and a framework. */
export const startPgApp = (framework: string, url: string) =>
  ServerProcess.start([path.join(root, 'bench/peers/pg-app.cjs'), framework, url]);

/** The first of the needs that is not installed. */
export const missingOf = ({needs}: Peer): string | undefined =>
  needs.find((name) => !existsSync(name) && findProgram(name) === undefined);

/** What a program says of its version. */
const versionOf = (name: string): string =>
  spawnSync(findProgram(name) ?? '', ['--version'], {encoding: 'utf8'}).stdout.split('\n', 1)[0] ??
  '';

const time = String(Date.now());
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const idOf = ({path: target = ''}: Request): string => target.split('/').at(-2) ?? '';

export const peers: readonly Peer[] = [
  {
    name: 'bare node:http',
    sync: 'sends the same bytes, stores nothing',
    targets: [0.55, 1.9],
    needs: [],
    version: () => process.version,
    start: async ({serve, requests}) => ({
      server: await startBare(await captureResponse(serve.port, requests[0])),
    }),
  },
  {
    name: 'etcd',
    sync: 'syncs its log before each response, as it comes',
    targets: [2, 0.33],
    needs: ['etcd'],
    version: () => versionOf('etcd'),
    async start({directory, requests}) {
      const ports = [await closedPort(), await closedPort()];
      const [client = '', peer = ''] = ports.map((port) => `http://127.0.0.1:${port}`);
      const settings = {
        'data-dir': directory,
        'log-level': 'error',
        'listen-client-urls': client,
        'advertise-client-urls': client,
        'listen-peer-urls': peer,
        'initial-advertise-peer-urls': peer,
        'initial-cluster': `default=${peer}`,
      };
      const words = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
      const puts = requests.map((request): Request => {
        const body = JSON.stringify({key: base64(idOf(request)), value: base64(time)});
        return {method: 'POST', path: '/v3/kv/put', body};
      });
      return {server: await ServerProcess.run('etcd', words, ports[0] ?? 0), requests: puts};
    },
  },
  {
    name: 'Redis behind webdis',
    sync: 'appendonly yes, appendfsync always',
    targets: [0.6, 1.25],
    needs: ['redis-server', 'webdis'],
    version: () => versionOf('redis-server'),
    async start({directory, requests}) {
      await mkdir(directory);
      const [store, http] = [await closedPort(), await closedPort()];
      const settings = path.join(directory, 'webdis.json');
      const host = {redis_host: '127.0.0.1', http_host: '127.0.0.1', daemonize: false};
      const log = {verbosity: 0, logfile: path.join(directory, 'webdis.log')};
      const webdis = {...host, ...log, redis_port: store, http_port: http, threads: 2};
      await writeFile(settings, JSON.stringify(webdis));
      const words = `--port ${store} --bind 127.0.0.1 --appendonly yes --appendfsync always`;
      const redis = [...words.split(' '), '--save', '', '--dir', directory];
      const second = await ServerProcess.run('redis-server', redis, store);
      const first = await ServerProcess.run('webdis', [settings], http);
      const sets = requests.map((request): Request => ({path: `/SET/${idOf(request)}/${time}`}));
      return {server: together(first, second), requests: sets};
    },
  },
  {
    name: 'Express 5 with pg',
    sync: 'one UPDATE by the primary key, synchronous_commit = on',
    targets: [2],
    needs: [express],
    version: () => JSON.parse(readFileSync(path.join(express, 'package.json'), 'utf8')).version,
    async start({fleet, databases}) {
      const url = await databases.withFleet(fleet);
      return {server: await startPgApp(express, url)};
    },
  },
];
