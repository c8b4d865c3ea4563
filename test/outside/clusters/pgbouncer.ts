import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as delay} from 'node:timers/promises';
import pg from 'pg';
import {closedPort} from '../../support/network/ports.js';
import {findOwner, findProgram} from '../../support/postgres/binaries.js';
import type {PostgresCluster} from '../../support/postgres/cluster.js';
import {atEndOfTest} from '../../support/process/at-end-of-test.js';

/** PgBouncer in front of a private server, until the end of the test; it logs in as the superuser. */
export class PgBouncer {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
  }

  /** @param settings of its section `[pgbouncer]` */
  static async start(
    server: PostgresCluster,
    settings: Readonly<Record<string, string>>,
  ): Promise<PgBouncer> {
    const port = await closedPort();
    const lines = Object.entries({
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'any',
      ...settings,
    }).map(([name, value]) => `${name} = ${value}\n`);
    const database = `* = host=127.0.0.1 port=${server.port} user=postgres`;
    const name = `pgbouncer-${port}.ini`;
    const file = server.addFile(name, `[databases]\n${database}\n[pgbouncer]\n${lines.join('')}`);
    const process = spawn(findProgram('pgbouncer') ?? '', ['-q', file], {
      ...findOwner(),
      cwd: '/',
      stdio: 'ignore',
    });
    const bouncer = new PgBouncer(port, process);
    atEndOfTest(() => bouncer.#stop());
    while (!(await bouncer.#responds())) await delay(20);
    return bouncer;
  }

  async #responds(): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error('PgBouncer does not start');
    const client = new pg.Client({
      connectionString: this.url('postgres'),
      ssl: {rejectUnauthorized: false},
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      return String(error).includes('does not support SSL');
    }
  }

  url(database: string, parameters = ''): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  async #stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}
