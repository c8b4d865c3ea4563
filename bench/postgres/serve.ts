/**
 * The service on a PostgreSQL store, with its heartbeats either batched, as `serve` does, or each in a
 * separate statement over ten connections of the same driver: `serve.ts URL gathered|single`.
 */
import {once} from 'node:events';
import pg from 'pg';
import type {ConnectorRecord} from '../../src/domain/records.js';
import {buildApp} from '../../src/server/app.js';
import {listen} from '../../src/server/net/listener.js';
import {openStore} from '../../src/store/open.js';
import type {Store} from '../../src/store/store.js';

const [url = '', mode] = process.argv.slice(2);
const log = {debug() {}, info() {}, warn: console.error, error: console.error};
const connections = 10;
const bigint = 20;

/** One UPDATE for each heartbeat: what most services do. */
function single(store: Store): Store {
  pg.types.setTypeParser(bigint, Number);
  const pool = new pg.Pool({connectionString: url, max: connections});
  const recordHeartbeat: Store['recordHeartbeat'] = async (id, at, scope) => {
    const {rows} = await pool.query<ConnectorRecord>({
      name: 'beat',
      text: `UPDATE connectors SET last_heartbeat_at = GREATEST(last_heartbeat_at, $2)
             WHERE id = $1 AND key_hash = $3
             RETURNING id, organization, name, key_hash AS "keyHash",
               activated_at AS "activatedAt", last_heartbeat_at AS "lastHeartbeatAt"`,
      values: [id, at, 'keyHash' in scope ? scope.keyHash : ''],
    });
    return rows[0];
  };
  return new Proxy(store, {
    get: (target, name) =>
      name === 'recordHeartbeat' ? recordHeartbeat : Reflect.get(target, name, target),
  });
}

const opened = await openStore(url, {log, now: Date.now});
const app = await buildApp({store: mode === 'single' ? single(opened) : opened});
const {url: address} = await listen(app, {host: '127.0.0.1', port: 0});
console.log(address);
await once(process, 'SIGTERM');
process.exit(0);
