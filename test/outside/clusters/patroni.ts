import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import pg from 'pg';
import {parse, stringify} from 'yaml';
import {closedPort} from '../../support/network/ports.js';
import {findBinaries, findOwner, findProgram} from '../../support/postgres/binaries.js';
import {root} from '../../support/sources.js';

/** Ends all programs and removes the directory when the test run ends or crashes. */
const guard = `
  cat >/dev/null
  for file in "$0"/pids/*; do kill -CONT $(cat "$file"); kill -KILL $(cat "$file"); done
  for file in "$0"/*/data/postmaster.pid; do
    server=$(head -n 1 "$file")
    kill -CONT $server; kill -QUIT $server
    while kill -0 $server; do sleep 0.1; done
  done
  rm -rf "$0"
`;

/** A file of the guide to high availability. */
const shipped = (name: string) =>
  readFileSync(join(root, 'contrib', 'high-availability', name), 'utf8');

const guide = readFileSync(join(root, 'docs/guides/high-availability.md'), 'utf8');
/** The commands of the guide that create the role and the database, and the URL of `--store`. */
const commands = guide.match(/^create(?:user|db) .*$/gm) ?? [];
const [store = ''] = /(?<=--store ')postgres:[^']+/.exec(guide) ?? [];

/** A member of the cluster, as reported by Patroni. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** A server, as reported by its own Patroni. */
interface ServerStatus {
  readonly postmaster_start_time?: string;
  readonly replication?: readonly {readonly state: string; readonly sync_state: string}[];
}

/** Patroni and its PostgreSQL. */
interface PatroniNode {
  readonly name: string;
  readonly directory: string;
  readonly api: number;
  readonly port: number;
}

/** Three PostgreSQL servers under Patroni with one etcd, behind one haproxy address. */
export class PatroniCluster {
  readonly nodes: readonly PatroniNode[];
  readonly #directory: string;
  readonly #owner = findOwner();
  readonly #guard: ChildProcess;
  readonly #etcd: number;
  readonly #port: number;
  readonly #binaries: string;

  private constructor(directory: string, [etcd, port, ...ports]: readonly number[]) {
    this.#directory = directory;
    this.#etcd = etcd ?? 0;
    this.#port = port ?? 0;
    this.nodes = [0, 1, 2].map((index) => ({
      name: `node${index + 1}`,
      directory: join(directory, `node${index + 1}`),
      api: ports[2 * index] ?? 0,
      port: ports[2 * index + 1] ?? 0,
    }));
    this.#makeDirectory(directory);
    this.#makeDirectory(join(directory, 'pids'));
    this.#binaries = findBinaries(this.#owner, directory);
    this.#guard = spawn('sh', ['-c', guard, directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  }

  static async start(): Promise<PatroniCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'connectorctl-patroni-'));
    const ports = [];
    for (let count = 0; count < 9; count += 1) ports.push(await closedPort());
    const cluster = new PatroniCluster(directory, ports);
    try {
      cluster.#startEtcd(ports.at(-1) ?? 0);
      for (const node of cluster.nodes) cluster.startNode(node);
      cluster.#startBalancer();
      await cluster.isHealthy();
      cluster.#createDatabase();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get url(): string {
    return store.replace('10.0.0.20', `127.0.0.1:${this.#port}`);
  }

  /** Types the commands of the guide at the address of haproxy; without a terminal, the password is read from stdin. */
  #createDatabase(): void {
    const env = {...process.env, PGPORT: String(this.#port), PGPASSWORD: 'a'};
    for (const command of commands) {
      const words = command.replace('10.0.0.20', '127.0.0.1').split(' ');
      execFileSync('setsid', ['-w', ...words], {
        env,
        input: 'b\nb\n',
        stdio: ['pipe', 'ignore', 'pipe'],
      });
    }
  }

  /** Resolves when one member leads and all others follow it, one of them synchronously. */
  async isHealthy(): Promise<void> {
    const deadline = Date.now() + 300_000;
    for (;;) {
      const members = await this.#members();
      const roles = members.map(({role}) => role).sort();
      const run = members.every(({state}) => state === 'running' || state === 'streaming');
      if (run && roles.join() === 'leader,replica,sync_standby') {
        const status = await askPatroni<ServerStatus>(await this.leader(), '/patroni');
        const followers = status?.replication?.filter(({state}) => state === 'streaming') ?? [];
        // For a moment after a stall, what the members report is out of date: one may still be rewound.
        const areAll = followers.length === this.nodes.length - 1;
        if (areAll && followers.some(({sync_state: state}) => state === 'sync')) return;
      }
      if (Date.now() > deadline) throw new Error(`not healthy: ${JSON.stringify(members)}`);
      await delay(100);
    }
  }

  async leader(): Promise<PatroniNode> {
    for (;;) {
      const name = (await this.#members()).find(({role}) => role === 'leader')?.name;
      const node = this.nodes.find((candidate) => candidate.name === name);
      if (node !== undefined) return node;
      await delay(100);
    }
  }

  /**
   * The current leader, and the start time of its PostgreSQL. It changes after each relevant event, and
   * so shows that Patroni has noticed the event.
   */
  async leadership(): Promise<string> {
    for (;;) {
      const leader = await this.leader();
      const status = await askPatroni<ServerStatus>(leader, '/patroni');
      // A busy Patroni does not respond in time, which is no change.
      if (status?.postmaster_start_time) return `${leader.name} ${status.postmaster_start_time}`;
      await delay(100);
    }
  }

  async switchover(): Promise<void> {
    const leader = await this.leader();
    const response = await fetch(`http://127.0.0.1:${leader.api}/switchover`, {
      method: 'POST',
      body: JSON.stringify({leader: leader.name}),
    });
    const said = await response.text();
    // On a busy machine it may take longer than Patroni waits to report it.
    const isUnknown = said.includes('status unknown');
    if (response.status !== 200 && !isUnknown) throw new Error(said);
  }

  /** Counts the sessions of a node whose commit waits for a standby. */
  async countWaiting({port}: PatroniNode): Promise<number> {
    const client = new pg.Client({
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    });
    await client.connect();
    const {rows} = await client.query<{count: number}>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    await client.end();
    return rows[0]?.count ?? 0;
  }

  /** Sends a signal to the main process of PostgreSQL, or with `all` to each of its processes. */
  signalServer(node: PatroniNode, signal: NodeJS.Signals, all = false): void {
    const file = readFileSync(join(node.directory, 'data', 'postmaster.pid'), 'utf8');
    const id = Number(file.split('\n', 1)[0]);
    if (all) {
      const children = execFileSync('ps', ['--ppid', String(id), '-o', 'pid='], {encoding: 'utf8'});
      for (const child of children.trim().split(/\s+/)) process.kill(Number(child), signal);
    }
    process.kill(id, signal);
  }

  signalPatroni(node: PatroniNode, signal: NodeJS.Signals): void {
    process.kill(Number(readFileSync(this.#pidFile(node.name), 'utf8')), signal);
  }

  signalEtcd(signal: NodeJS.Signals): void {
    process.kill(Number(readFileSync(this.#pidFile('etcd'), 'utf8')), signal);
  }

  /** Starts Patroni, which starts its PostgreSQL. */
  startNode(node: PatroniNode): void {
    this.#makeDirectory(node.directory);
    const configuration = join(node.directory, 'patroni.yml');
    writeFileSync(configuration, stringify(this.#configure(node)), {mode: 0o644});
    this.#spawn(node.name, 'patroni', [configuration]);
  }

  async remove(): Promise<void> {
    const ended = once(this.#guard, 'exit');
    this.#guard.stdin?.end();
    await ended;
  }

  #configure(node: PatroniNode): object {
    const local = `127.0.0.1:${node.port}`;
    return {
      scope: 'connectors',
      name: node.name,
      restapi: {listen: `127.0.0.1:${node.api}`, connect_address: `127.0.0.1:${node.api}`},
      etcd: {host: `127.0.0.1:${this.#etcd}`},
      bootstrap: {
        dcs: parse(shipped('patroni.yml')).bootstrap.dcs,
        initdb: [{encoding: 'UTF8'}, 'no-locale', {auth: 'trust'}],
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      postgresql: {
        listen: local,
        connect_address: local,
        data_dir: join(node.directory, 'data'),
        bin_dir: this.#binaries,
        pgpass: join(node.directory, 'pgpass'),
        authentication: {superuser: {username: 'postgres'}, replication: {username: 'replicator'}},
        parameters: {unix_socket_directories: node.directory, max_connections: 100},
      },
    };
  }

  #startEtcd(peerPort: number): void {
    const [client, peer] = [this.#etcd, peerPort].map((port) => `http://127.0.0.1:${port}`);
    const settings = {
      'data-dir': join(this.#directory, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
      // The protocol of Patroni's `etcd` driver.
      'enable-v2': 'true',
    };
    this.#spawn(
      'etcd',
      'etcd',
      Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    );
  }

  #startBalancer(): void {
    let text = shipped('haproxy.cfg').replace('10.0.0.20:5432', `127.0.0.1:${this.#port}`);
    for (const [index, {port, api}] of this.nodes.entries()) {
      const address = `10.0.0.${index + 1}:5432 check port 8008`;
      text = text.replace(address, `127.0.0.1:${port} check port ${api}`);
    }
    const configuration = join(this.#directory, 'haproxy.cfg');
    writeFileSync(configuration, text);
    this.#spawn('haproxy', 'haproxy', ['-db', '-f', configuration]);
  }

  async #members(): Promise<readonly Member[]> {
    for (const node of this.nodes) {
      const cluster = await askPatroni<{members: readonly Member[]}>(node, '/cluster');
      if (cluster !== undefined) return cluster.members;
    }
    return [];
  }

  #spawn(name: string, program: string, args: readonly string[]): void {
    const child = spawn(findProgram(program) ?? program, args, {
      ...this.#owner,
      cwd: this.#directory,
      env: {PATH: process.env['PATH'], HOME: this.#directory},
      stdio: 'ignore',
    });
    writeFileSync(this.#pidFile(name), String(child.pid));
    child.unref();
  }

  #pidFile(name: string): string {
    return join(this.#directory, 'pids', name);
  }

  #makeDirectory(path: string): void {
    mkdirSync(path, {recursive: true, mode: 0o700});
    const {uid, gid} = this.#owner;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

/** Calls the API of Patroni; undefined if it does not respond. */
async function askPatroni<Body>({api}: PatroniNode, path: string): Promise<Body | undefined> {
  try {
    const signal = AbortSignal.timeout(1000);
    const response = await fetch(`http://127.0.0.1:${api}${path}`, {signal});
    return (await response.json()) as Body;
  } catch {
    return undefined;
  }
}
