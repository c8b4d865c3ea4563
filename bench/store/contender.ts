/**
 * A service with the five routes of the interface, as one would build it from Fastify and
 * better-sqlite3: `contender.ts PACKAGES DATABASE CONNECTORS`. Each request is one transaction, durable
 * before the response (WAL, `synchronous=FULL`). It checks what ours checks of a key, and nothing else.
 */
import {randomBytes} from 'node:crypto';
import {createRequire} from 'node:module';
import Fastify, {type FastifyRequest} from 'fastify';
import {routes} from '../../src/contract/index.js';
import {formatSecret, hashSecret} from '../../src/domain/secret.js';
import {connectorId, connectorKey, organizationKey} from './fleet.js';

/** The part of better-sqlite3 that is used. */
interface Database {
  pragma(text: string): unknown;
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: unknown[]): {readonly changes: number};
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
  };
  transaction<Input extends unknown[], Output>(
    work: (...input: Input) => Output,
  ): {immediate(...input: Input): Output};
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly key_hash: string;
  readonly activated_at: string;
  readonly last_heartbeat_at: string | null;
}

const [packages = '', file = '', connectors = '0'] = process.argv.slice(2);
const Sqlite = createRequire(packages)('better-sqlite3') as new (path: string) => Database;
const database = new Sqlite(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`
  CREATE TABLE api_keys (hash TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE tokens (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE connectors (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, key_hash TEXT NOT NULL,
    activated_at TEXT NOT NULL, last_heartbeat_at TEXT
  ) WITHOUT ROWID;
`);

const insertConnector = database.prepare('INSERT INTO connectors VALUES (?, ?, ?, ?, ?)');
const insertToken = database.prepare('INSERT INTO tokens VALUES (?, ?)');
const takeToken = database.prepare('DELETE FROM tokens WHERE hash = ? AND expires_at > ?');
const findKey = database.prepare('SELECT 1 FROM api_keys WHERE hash = ?');
const findConnector = database.prepare('SELECT * FROM connectors WHERE id = ?');
const listConnectors = database.prepare('SELECT * FROM connectors ORDER BY id');
const setHeartbeat = database.prepare(
  'UPDATE connectors SET last_heartbeat_at = ? WHERE id = ? AND key_hash = ?',
);

database
  .transaction(() => {
    const at = new Date().toISOString();
    database.prepare('INSERT INTO api_keys VALUES (?)').run(hashSecret(organizationKey));
    for (let number = 0; number < Number(connectors); number += 1) {
      const hash = hashSecret(connectorKey(number));
      insertConnector.run(connectorId(number), `connector-${number}`, hash, at, at);
    }
  })
  .immediate();

const intervalSeconds = 60;

const present = ({id, name, activated_at, last_heartbeat_at}: Row) => {
  const age = last_heartbeat_at === null ? 0 : Date.now() - Date.parse(last_heartbeat_at);
  const status = age <= 2 * intervalSeconds * 1000 ? 'online' : 'offline';
  return {id, name, organization: 'default', status, activated_at, last_heartbeat_at};
};

const hashOfKey = ({headers}: FastifyRequest): string =>
  hashSecret(headers.authorization?.replace(/^Bearer /, '') ?? '');

const text = {type: 'string'} as const;
const connector = {
  type: 'object',
  properties: {
    ...{id: text, name: text, organization: text, status: text, activated_at: text},
    last_heartbeat_at: {type: ['string', 'null']},
  },
} as const;
const responses = (schema: object) => ({schema: {response: {'2xx': schema}}});
const refused = {statusCode: 401, error: 'Unauthorized', message: 'The key is not known.'};
const url = (path: string): string => path.replace('{id}', ':id');
const app = Fastify();

app.post(url(routes.createToken.path), (request, reply) => {
  if (findKey.get(hashOfKey(request)) === undefined) return reply.code(401).send(refused);
  const token = formatSecret('activationToken', randomBytes(32));
  const expires = Date.now() + 900_000;
  insertToken.run(hashSecret(token), expires);
  return reply.code(201).send({token, expires_at: new Date(expires).toISOString()});
});

const activate = database.transaction((token: string, name: string) => {
  if (takeToken.run(hashSecret(token), Date.now()).changes === 0) return undefined;
  const id = `con_${randomBytes(13).toString('hex').toUpperCase()}`;
  const key = formatSecret('connectorKey', randomBytes(32));
  const at = new Date().toISOString();
  insertConnector.run(id, name, hashSecret(key), at, null);
  return {id, name, api_key: key, activated_at: at};
});
app.post<{Body: {token: string; name: string}}>(url(routes.activate.path), ({body}, reply) => {
  const activated = activate.immediate(body.token, body.name);
  return activated === undefined ? reply.code(401).send(refused) : reply.code(201).send(activated);
});

app.get(url(routes.list.path), responses({type: 'array', items: connector}), (request, reply) => {
  if (findKey.get(hashOfKey(request)) === undefined) return reply.code(401).send(refused);
  return reply.send((listConnectors.all() as Row[]).map(present));
});

app.get<{Params: {id: string}}>(url(routes.get.path), responses(connector), (request, reply) => {
  const row = findConnector.get(request.params.id) as Row | undefined;
  if (row?.key_hash !== hashOfKey(request)) return reply.code(401).send(refused);
  return reply.send(present(row));
});

const heartbeat = {
  type: 'object',
  properties: {
    ...{id: text, status: text, last_heartbeat_at: text},
    next_heartbeat_seconds: {type: 'integer'},
  },
} as const;
app.post<{Params: {id: string}}>(
  url(routes.heartbeat.path),
  responses(heartbeat),
  (request, reply) => {
    const {id} = request.params;
    const at = new Date().toISOString();
    // One statement is one transaction.
    if (setHeartbeat.run(at, id, hashOfKey(request)).changes === 0) {
      return reply.code(401).send(refused);
    }
    return reply.send({
      ...{id, status: 'online', last_heartbeat_at: at},
      next_heartbeat_seconds: intervalSeconds,
    });
  },
);

console.log(await app.listen({port: 0, host: '127.0.0.1'}));
process.on('SIGTERM', () => process.exit(0));
