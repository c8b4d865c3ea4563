import type pg from 'pg';
import {StoreError} from '../../store.js';
import type {Route} from '../batcher.js';
import type {Database, StatementLimits} from '../connection/database.js';
import {describeHost, type Host} from '../connection/location.js';
import type {Run, Statement} from '../connection/run.js';
import {findText, hashText} from './hash-text.js';

/**
 * The store in a database with the Citus extension: `connectors` and `activation_tokens` are distributed
 * over the workers by their keys, `api_keys` and `store_info` are reference tables, which each node has. Every
 * node with the cluster's metadata takes every statement. A statement is cheap when all its keys are on one
 * shard, so keys are batched by shard.
 */

/** The distributed tables. */
type DistributedTable = 'connectors' | 'activation_tokens';

/**
 * Tokens have few shards, so that one transaction includes many redemptions: it writes to several workers,
 * which costs two more round trips to each. The number of connector shards is `citus.shard_count`.
 */
const tokenShards = 4;

/** A worker, or the coordinator if it holds shards. */
interface Node extends Host {
  readonly id: number;
  readonly shards: number;
  /** A key on one of its shards of `connectors` that no connector has. */
  readonly probe: string;
}

interface ShardRow extends Host {
  readonly table: DistributedTable;
  /** Lowest hash of the shard. */
  readonly from: number;
  readonly node: number;
}

const findExtension: Statement = {
  name: 'find_citus',
  text: "SELECT extversion FROM pg_extension WHERE extname = 'citus'",
};

const readShards: Statement = {
  name: 'read_shards',
  text: `SELECT DISTINCT ON (s.logicalrelid, s.shardminvalue::int)
           CASE s.logicalrelid WHEN to_regclass('connectors') THEN 'connectors'
             ELSE 'activation_tokens' END AS "table",
           s.shardminvalue::int AS "from", n.nodeid AS node,
           n.nodename AS host, n.nodeport AS port
         FROM pg_dist_shard AS s
         JOIN pg_dist_placement AS p ON p.shardid = s.shardid
         JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary'
         WHERE s.logicalrelid IN (to_regclass('connectors'), to_regclass('activation_tokens'))
         ORDER BY s.logicalrelid, s.shardminvalue::int, n.nodeid`,
};

/** Changes no row, but fails on a worker that does not accept writes. */
const probeShard: Statement = {
  name: 'probe_shard',
  text: 'UPDATE connectors SET last_heartbeat_at = last_heartbeat_at WHERE id = $1',
};

const describeNode: Statement = {
  name: 'describe_node',
  text: `SELECT NOT EXISTS (SELECT FROM pg_dist_node) AS "isAlone",
           (SELECT groupid FROM pg_dist_local_group) > 0 AS "isWorker",
           to_regclass('connectors') IS NOT NULL AS "hasTables",
           (SELECT nodename || ':' || nodeport FROM pg_dist_node
            WHERE groupid = 0 AND noderole = 'primary') AS coordinator`,
};

/** What a node of Citus knows of its cluster. */
interface NodeState {
  /** It knows no node: it belongs to no cluster, or has not got its metadata. */
  readonly isAlone: boolean;
  readonly isWorker: boolean;
  readonly hasTables: boolean;
  /** Address by which the nodes reach the coordinator. */
  readonly coordinator: string | null;
}

/** Undefined without Citus. */
export async function readNode(run: Run): Promise<NodeState | undefined> {
  if ((await run(findExtension)).length === 0) return undefined;
  return (await run<NodeState & pg.QueryResultRow>(describeNode)).at(0);
}

/** The tables that every node needs, if they are on the coordinator alone and the others are distributed. */
const findUnshared: Statement = {
  name: 'find_unshared',
  text: `SELECT name FROM unnest(ARRAY['store_info', 'api_keys']) AS tables (name)
         WHERE to_regclass(name) IS NOT NULL
           AND to_regclass(name) NOT IN (SELECT logicalrelid FROM pg_dist_partition)
           AND (to_regclass('connectors') IS NULL
             OR to_regclass('connectors') IN (SELECT logicalrelid FROM pg_dist_partition))`,
};

const shareTable: Statement = {
  name: 'share_table',
  text: 'SELECT create_reference_table($1::regclass)',
};

/** With Citus, puts the tables that are not distributed on every node. Only the coordinator can do it. */
export async function shareTables(database: Database): Promise<void> {
  const unshared = async (run: Run) =>
    (await run(findExtension)).length === 0 ? [] : run<{name: string}>(findUnshared);
  try {
    await database.transaction(async (run) => {
      for (const {name} of await unshared(run)) await run(shareTable, [name]);
    });
  } catch (error) {
    // Another process has just done the same.
    if ((await database.transaction(unshared)).length > 0) throw error;
  }
}

/** With Citus, distributes the tables that the same transaction has created, and puts the rest on every node. */
export async function distributeTables(run: Run): Promise<void> {
  if ((await run(findExtension)).length === 0) return;
  await run("SELECT create_distributed_table('connectors', 'id', colocate_with => 'none')");
  await run(
    `SELECT create_distributed_table('activation_tokens', 'hash',
       colocate_with => 'none', shard_count => ${tokenShards})`,
  );
  for (const {name} of await run<{name: string}>(findUnshared)) await run(shareTable, [name]);
}

/** The cluster that the tables of a store are distributed over. */
export class CitusCluster {
  readonly #database: Database;
  #shards: Readonly<Record<DistributedTable, readonly ShardRow[]>>;

  private constructor(database: Database, rows: readonly ShardRow[]) {
    this.#database = database;
    this.#shards = sortShards(rows);
  }

  /** Undefined when the tables are not distributed: without Citus, or if they were created before the extension. */
  static async find(database: Database): Promise<CitusCluster | undefined> {
    if ((await database.query(findExtension)).length === 0) return undefined;
    const rows = await database.query<ShardRow>(readShards);
    return rows.some(({table}) => table === 'connectors')
      ? new CitusCluster(database, rows)
      : undefined;
  }

  /** The shard of a key. After shards have moved the result may be wrong, which only costs speed. */
  route(table: DistributedTable, key: string): Route {
    const shards = this.#shards[table];
    const hash = hashText(key);
    let low = 0;
    let high = shards.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((shards[middle]?.from ?? 0) <= hash) low = middle;
      else high = middle - 1;
    }
    return {group: low, lane: shards[low]?.node ?? 0};
  }

  /** For each node with shards of `connectors`, a key there that no connector has. */
  probes(): readonly string[] {
    return listNodes(this.#shards.connectors).map(({probe}) => probe);
  }

  /**
   * Checks each node, and reads the current location of the shards.
   *
   * @throws StoreError that names the nodes that do not respond
   */
  async check(limits: StatementLimits): Promise<void> {
    const rows = await this.#database.query<ShardRow>(readShards, [], limits);
    this.#shards = sortShards(rows);
    const nodes = listNodes(this.#shards.connectors);
    const probes = nodes.map(({probe}) =>
      this.#database.query(probeShard, [probe], limits).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    const failures = (await Promise.all(probes)).flatMap((error, index) => {
      const node = nodes[index];
      return error === undefined || node === undefined ? [] : [{node, error}];
    });
    const [first] = failures;
    if (first === undefined) return;
    if (!(first.error instanceof StoreError)) throw first.error;
    const total = this.#shards.connectors.length;
    const describe = (name: (node: Node) => string): string =>
      failures
        .map(({node}) => `${name(node)}, which holds ${node.shards} of ${total} shards,`)
        .join(' and ');
    throw new StoreError(
      'unavailable',
      `${describe((node) => `Citus node ${node.id} (${describeHost(node)})`)} cannot be used. ${first.error.message}`,
      {
        cause: first.error,
        publicDetail: `${describe(({id}) => `Node ${id} of the database`)} cannot be used.`,
      },
    );
  }
}

function sortShards(rows: readonly ShardRow[]): Record<DistributedTable, readonly ShardRow[]> {
  const rowsOf = (table: DistributedTable) => rows.filter((row) => row.table === table);
  return {connectors: rowsOf('connectors'), activation_tokens: rowsOf('activation_tokens')};
}

/** The nodes that hold shards of `connectors`. */
function listNodes(shards: readonly ShardRow[]): readonly Node[] {
  const nodes = new Map<number, Node>();
  for (const [index, {node: id, host, port, from}] of shards.entries()) {
    const known = nodes.get(id);
    nodes.set(id, {
      id,
      host,
      port,
      shards: (known?.shards ?? 0) + 1,
      probe: known?.probe ?? findText(from, shards[index + 1]?.from ?? 2 ** 31),
    });
  }
  return [...nodes.values()];
}
