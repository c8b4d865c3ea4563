import path from 'node:path';
import {copyStore} from '../../src/store/copy.js';
import {PostgresCluster} from '../../test/support/postgres/cluster.js';
import {log, makeFleet} from '../fleet.js';
import {inDirectory, using} from '../servers.js';

/** Durable, as in production, with the memory settings that suit a server of this size. */
export const settings = {shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '15min'};

/** A private server, and a database on it for each size of fleet. */
export class Databases {
  readonly cluster: PostgresCluster;
  readonly version: string;
  /** For temporary files. */
  readonly directory: string;
  readonly #made = new Set<string>();

  private constructor(cluster: PostgresCluster, version: string, directory: string) {
    this.cluster = cluster;
    this.version = version;
    this.directory = directory;
  }

  /** Starts a server with a temporary directory, and removes both at the end. */
  static use<Result>(work: (databases: Databases) => Promise<Result>): Promise<Result> {
    return inDirectory((directory) =>
      using([Databases.#start(directory)], ([databases]) => work(databases)),
    );
  }

  static async #start(directory: string): Promise<Databases> {
    const cluster = await PostgresCluster.make(settings);
    await cluster.start();
    const [row] = await cluster.query<{server_version: string}>('SHOW server_version');
    return new Databases(cluster, row?.server_version ?? 'unknown', directory);
  }

  /** The URL of a database with a fleet, which is created when it does not exist. @param unused number of tokens */
  async withFleet(connectors: number, unused = 0): Promise<string> {
    const name = `fleet_${connectors}${unused === 0 ? '' : `_${unused}`}`;
    const url = this.cluster.url(name);
    if (this.#made.has(name)) return url;
    await this.cluster.query(`CREATE DATABASE ${name}`);
    const directory = path.join(this.directory, name);
    await makeFleet(directory, connectors, unused);
    await copyStore(directory, url, {log, now: Date.now});
    await this.cluster.query('VACUUM ANALYZE', name);
    await this.cluster.query('CHECKPOINT', name);
    this.#made.add(name);
    return url;
  }

  stop(): Promise<void> {
    return this.cluster.remove();
  }
}
