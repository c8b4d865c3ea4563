import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {FastifyInstance} from 'fastify';
import {fillPath, headers, type Operation, routes} from '../../../src/contract/index.js';
import type {CreatedKey} from '../../../src/server/admin/admin.js';
import {createFirstKey, storeAdmin} from '../../../src/server/admin/admin.js';
import {buildApp} from '../../../src/server/app.js';
import {type Runtime, systemRuntime} from '../../../src/server/runtime.js';
import type {Store} from '../../../src/store/store.js';
import {activationToken} from '../secrets.js';
import {root} from '../sources.js';
import {RecordedLog} from './recorded-log.js';
import {day, minute} from './samples.js';

/** The time at which the samples end, and at which they are read. */
const frozenAt = Date.UTC(2026, 10, 22);

/** The secrets of a sample, by names that say what they belong to. */
export interface Secrets {
  /** API keys of organizations. */
  readonly keys: Record<string, string>;
  readonly tokens: Record<string, string>;
  readonly connectors: Record<string, {readonly id: string; readonly key: string}>;
}

/** The path of a file of the samples. */
export const frozen = (name: string) => join(root, 'test', 'store', 'frozen', name);

/** The secrets and the answers of a sample. */
export function readSample(name: string): {readonly secrets: Secrets; readonly answers: object} {
  return JSON.parse(readFileSync(frozen(`${name}.json`), 'utf8'));
}

type Call = (
  operation: Operation,
  options: {
    readonly id?: string;
    readonly key?: string | undefined;
    readonly body?: object;
    readonly idempotencyKey?: string;
    /** What sends a heartbeat. */
    readonly process?: string;
  },
) => Promise<{readonly status: number; readonly body: Record<string, string>}>;

async function makeApp(store: Store, runtime: Runtime): Promise<[FastifyInstance, Call]> {
  // A slow machine must not count as overload.
  const maxEventLoopDelay = Number.POSITIVE_INFINITY;
  const app = await buildApp({store, runtime, maxEventLoopDelay});
  const call: Call = async (operation, {id = '', key, body, idempotencyKey, process}) => {
    const {method, path} = routes[operation];
    const response = await app.inject({
      method,
      url: fillPath(path, {id}),
      headers: {
        ...(key !== undefined && {authorization: `Bearer ${key}`}),
        ...(idempotencyKey !== undefined && {[headers.idempotencyKey]: idempotencyKey}),
        ...(process !== undefined && {[headers.process]: process}),
      },
      ...(body && {payload: body}),
    });
    return {status: response.statusCode, body: response.json()};
  };
  return [app, call];
}

/** What a token is redeemed with; the repetition sends the same. */
const redemption = (token: string | undefined, name: string) => ({
  body: {token, name},
  idempotencyKey: `attempt-of-${name}`,
});

/**
 * Fills a new store with every kind of record in every state, in the two days before `frozenAt`, and closes it.
 *
 * @param compact called after the first day
 */
export async function fillStore(
  open: (now: () => number) => Promise<Store>,
  compact: (store: Store) => Promise<void> = async () => {},
): Promise<Secrets> {
  let time = frozenAt - 2 * day;
  const runtime = {...systemRuntime, now: () => time};
  const store = await open(runtime.now);
  const log = new RecordedLog();
  const admin = storeAdmin(store, log, {runtime});
  const [app, ask] = await makeApp(store, runtime);
  const call: Call = async (...request) => {
    const answer = await ask(...request);
    if (answer.status < 300) return answer;
    throw new Error(`${request[0]}: ${JSON.stringify(answer.body)}`);
  };

  const organization = 'acme';
  let first = '';
  const save = async ({secret}: CreatedKey) => {
    first = secret;
    return async () => {};
  };
  const firstKey = {organization: 'default', description: null, expiresAt: null};
  await createFirstKey(store, firstKey, save, log, runtime);
  const described = {organization, description: 'for CI', expiresAt: frozenAt + 365 * day};
  const other = await admin.create(described);
  const expired = await admin.create({organization, description: null, expiresAt: time + day});
  const keys: Record<string, string> = {
    default: first,
    other: other.secret,
    expired: expired.secret,
  };
  const revokeKey = async (name: string) => {
    const {record, secret} = await admin.create({
      organization,
      description: name,
      expiresAt: null,
    });
    await admin.revoke(record.id, 'leaked');
    keys[name] = secret;
  };
  await revokeKey('revoked early');

  const tokens: Secrets['tokens'] = {};
  const connectors: Secrets['connectors'] = {};
  const create = async (name: string, key = keys['default']) => {
    const {body} = await call('createToken', {key, body: {description: `of ${name}`}});
    tokens[name] = body['token'] ?? '';
  };
  const activate = async (name: string, key?: string) => {
    await create(name, key);
    const {body} = await call('activate', redemption(tokens[name], name));
    connectors[name] = {id: body['id'] ?? '', key: body['api_key'] ?? ''};
  };
  const beat = async (...names: string[]) => {
    for (const name of names) await call('heartbeat', connectors[name] ?? {});
  };
  const idOf = (name: string) => connectors[name]?.id ?? '';
  const revoke = (name: string) => admin.revoke(idOf(name), 'sold');
  /** Issues a token for a new key of a connector. */
  const reissue = async (old: string, name: string) => {
    tokens[name] = (await admin.reissue(idOf(old), false)).token;
  };
  /** Replaces the key of a connector, which takes a new name. */
  const replace = async (old: string, name: string) => {
    await reissue(old, name);
    const {body} = await call('activate', redemption(tokens[name], name));
    connectors[name] = {id: body['id'] ?? '', key: body['api_key'] ?? ''};
  };

  await activate('oldest');
  await activate('removed-early');
  await create('closed');
  await beat('oldest', 'removed-early');
  for (const process of ['one', 'copy', 'one']) {
    await call('heartbeat', {...connectors['oldest'], process});
  }
  await revoke('removed-early');
  await activate('old-disk');
  await replace('old-disk', 'new-disk');
  await beat('new-disk');
  await activate('retired-early');
  await admin.remove([idOf('retired-early')], null);
  time = frozenAt - day;
  await compact(store);
  await revokeKey('revoked late');
  await create('expired');
  time = frozenAt - 5 * minute;
  await activate('online');
  await activate('silent');
  await activate('elsewhere', keys['other']);
  await activate('removed-late');
  await create('open');
  await revoke('removed-late');
  await activate('old-key');
  await replace('old-key', 'used-key');
  await beat('used-key');
  await activate('lost-key');
  await replace('lost-key', 'unused-key');
  await activate('waiting');
  await reissue('waiting', 'closed-reissue');
  await reissue('waiting', 'open-reissue');
  await activate('retired-late');
  await reissue('retired-late', 'reissue-of-retired');
  time = frozenAt - minute / 2;
  await beat('online', 'elsewhere');
  await app.close();
  // At the end, because a removal starts a compaction, which drops other records.
  await admin.remove([idOf('retired-late')], null);
  await store.close();
  return {keys, tokens, connectors};
}

/**
 * What a store answers at `frozenAt`, by request: over all routes, and in its list of keys. Closes the store and
 * opens it again.
 */
export async function answersOf(
  openAt: (now: () => number) => Promise<Store>,
  {keys, tokens, connectors}: Secrets,
): Promise<Record<string, unknown>> {
  const runtime: Runtime = {
    ...systemRuntime,
    now: () => frozenAt,
    newId: (prefix) => `${prefix}_${'0'.repeat(26)}`,
    newRequestId: () => 'request',
  };
  const answers: Record<string, unknown> = {};
  const open = async () => {
    const store = await openAt(runtime.now);
    const [app, call] = await makeApp(store, runtime);
    const close = async () => {
      await app.close();
      await store.close();
    };
    return {store, call, close};
  };
  const {store, call, close} = await open();
  answers['keys'] = await storeAdmin(store, new RecordedLog(), {runtime}).list();
  for (const [name, key] of Object.entries(keys))
    answers[`list ${name}`] = await call('list', {key});
  for (const [name, {id, key}] of Object.entries(connectors)) {
    answers[`get ${name}`] = await call('get', {id, key: keys['default']});
    answers[`get ${name} with its own key`] = await call('get', {id, key});
    answers[`heartbeat of ${name}`] = await call('heartbeat', {id, key});
  }
  for (const [name, token] of Object.entries({...tokens, unknown: activationToken()})) {
    answers[`activate ${name}`] = await call('activate', redemption(token, name));
    const again = {...redemption(token, name), idempotencyKey: 'another-attempt'};
    answers[`activate ${name} in another attempt`] = await call('activate', again);
  }
  await close();
  const reopened = await open();
  answers['list after all'] = await reopened.call('list', {key: keys['default']});
  await reopened.close();
  return JSON.parse(JSON.stringify(answers));
}

/** Answers without the fields that those of a sample lack in the same place: the service may have added fields. */
export function withoutAdded(answers: unknown, sample: unknown): unknown {
  if (Array.isArray(answers) && Array.isArray(sample))
    return answers.map((answer, at) => withoutAdded(answer, sample[at]));
  if (!isObject(answers) || !isObject(sample)) return answers;
  return Object.fromEntries(
    Object.keys(answers)
      .filter((name) => name in sample)
      .map((name) => [name, withoutAdded(answers[name], sample[name])]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
