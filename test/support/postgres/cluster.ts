import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import pg from 'pg';
import {closedPort} from '../network/ports.js';
import {findBinaries, findOwner, type Owner} from './binaries.js';

/** Runs the server; ends it and removes its directory if the test run crashes. */
const guard = `
  exec 3<&0
  directory=$1; shift
  "$@" &
  server=$!
  (
    if ! read -r farewell <&3; then
      kill -QUIT $server
      while kill -0 $server; do sleep 0.1; done
      rm -rf "$directory"
    fi
  ) 2>/dev/null &
  exec 3<&-
  wait $server
`;

/** Everyone on this machine can log in without a password, except the role that has one. */
const access = `
local all all trust
host all locked 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`;

/** Settings of the server's configuration file. */
export type Settings = Readonly<Record<string, string>>;

/** Settings for speed, for tests without power failures. */
export const fast: Settings = {fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '1d'};

/** Options of `initdb`: text sorts byte by byte, and no password is needed. */
const newCluster = ['-U', 'postgres', '-E', 'UTF8', '--no-locale', '-A', 'trust', '--no-sync'];

/** Milliseconds, for a busy machine: a server that ends is noticed at once. */
const readyWithin = 120_000;

/** A private PostgreSQL server in a temporary directory, on a free port. */
export class PostgresCluster {
  readonly port: number;
  readonly #directory: string;
  readonly #owner: Owner;
  readonly #binaries: string;
  #guard: ChildProcess | undefined;

  private constructor(port: number, directory: string, owner: Owner, binaries: string) {
    this.port = port;
    this.#directory = directory;
    this.#owner = owner;
    this.#binaries = binaries;
  }

  /**
   * Makes an empty server. It does not run yet.
   *
   * @param binaries the directory of `initdb` and `postgres`; default: that of this machine
   */
  static async make(settings: Settings = fast, binaries?: string): Promise<PostgresCluster> {
    const cluster = await PostgresCluster.#prepare(binaries);
    const data = join(cluster.#directory, 'data');
    cluster.#run('initdb', '-D', data, ...newCluster);
    writeFileSync(join(data, 'pg_hba.conf'), access);
    cluster.configure({
      listen_addresses: "'127.0.0.1'",
      unix_socket_directories: `'${cluster.#directory}'`,
      // Several for each store, of which a machine with many processors tests many at once.
      max_connections: '500',
      ...settings,
    });
    return cluster;
  }

  static async #prepare(given?: string): Promise<PostgresCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'connectorctl-pg-'));
    const owner = findOwner();
    if (owner.uid !== undefined && owner.gid !== undefined) {
      chownSync(directory, owner.uid, owner.gid);
    }
    try {
      const binaries = given ?? findBinaries(owner, directory);
      return new PostgresCluster(await closedPort(), directory, owner, binaries);
    } catch (error) {
      rmSync(directory, {recursive: true});
      throw error;
    }
  }

  /** Copies this server, which must be stopped, to a standby that follows it once both run. */
  async makeStandby(name: string): Promise<PostgresCluster> {
    const standby = await PostgresCluster.#prepare();
    standby.#run('cp', '-R', join(this.#directory, 'data'), join(standby.#directory, 'data'));
    writeFileSync(join(standby.#directory, 'data', 'standby.signal'), '');
    standby.configure({
      primary_conninfo: `'host=127.0.0.1 port=${this.port} user=postgres application_name=${name}'`,
      unix_socket_directories: `'${standby.#directory}'`,
    });
    return standby;
  }

  /** Adds settings, and keeps the earlier ones that they do not replace. */
  configure(settings: Settings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(join(this.#directory, 'data', 'postgresql.conf'), lines.join(''), {flag: 'a'});
  }

  /** The directory of its Unix socket. */
  get socketDirectory(): string {
    return this.#directory;
  }

  /** Writes a file that the server can read, and returns its path. */
  addFile(name: string, content: string): string {
    const path = join(this.#directory, name);
    writeFileSync(path, content, {mode: 0o600});
    if (this.#owner.uid !== undefined && this.#owner.gid !== undefined) {
      chownSync(path, this.#owner.uid, this.#owner.gid);
    }
    return path;
  }

  url(database = 'postgres', parameters = ''): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    const log = join(this.#directory, 'log');
    const server = [
      join(this.#binaries, 'postgres'),
      '-D',
      join(this.#directory, 'data'),
      '-p',
      String(this.port),
    ];
    const child = spawn(
      'sh',
      ['-c', `exec >>"$0" 2>&1; ${guard}`, log, this.#directory, ...server],
      {
        ...this.#owner,
        cwd: '/',
        // When the server is itself a client, it looks for certificates there.
        env: {...process.env, HOME: this.#directory},
        stdio: ['pipe', 'ignore', 'ignore'],
        // Ctrl-C in the terminal ends the tests, and then the guard ends the server.
        detached: true,
      },
    );
    child.stdin?.on('error', () => {});
    this.#guard = child;
    const deadline = Date.now() + readyWithin;
    while (!(await this.#responses())) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`PostgreSQL does not start: ${readFileSync(log, 'utf8')}`);
      }
      await delay(20);
    }
  }

  async #responses(): Promise<boolean> {
    const client = new pg.Client({connectionString: this.url(), connectionTimeoutMillis: 5000});
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }

  /** Runs statements as the superuser. */
  async query<Row extends pg.QueryResultRow>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({connectionString: this.url(database)});
    // The query rejects.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Sends the server a signal: SIGINT shuts it down cleanly, SIGKILL simulates a crash. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.#serverId(), signal);
  }

  /** Sends a signal that ends it, and waits for the end. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#guard;
    if (child === undefined) return;
    this.#guard = undefined;
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.stdin?.end('farewell\n');
    if (ended !== undefined) {
      if (signal === 'SIGKILL') this.#killSessions();
      this.signal(signal);
    }
    await ended;
  }

  /** A session outlives its server for a moment, and could still finish a commit: unlike in a power cut. */
  #killSessions(): void {
    this.signal('SIGSTOP');
    const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], {encoding: 'utf8'}).stdout;
    for (const line of listed.trim().split('\n')) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      if (parent === this.#serverId()) process.kill(pid!, 'SIGKILL');
    }
  }

  /** Stops the server and removes its directory. */
  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#directory, {recursive: true, force: true, maxRetries: 10});
  }

  #serverId(): number {
    const [id] = readFileSync(join(this.#directory, 'data', 'postmaster.pid'), 'utf8').split('\n');
    return Number(id);
  }

  #run(command: string, ...args: string[]): void {
    const path = command === 'initdb' ? join(this.#binaries, command) : command;
    execFileSync(path, args, {...this.#owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe']});
  }
}
