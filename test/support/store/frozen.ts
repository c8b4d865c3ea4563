import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {LightMyRequestResponse} from 'fastify';
import {fillPath, headers, type Operation, routes} from '../../../src/contract/index.js';
import {createIdFactory} from '../../../src/domain/ids.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import type {NewKey} from '../../../src/server/admin/new-key.js';
import {buildApp} from '../../../src/server/app.js';
import {type Runtime, systemRuntime} from '../../../src/server/context.js';
import type {Store} from '../../../src/store/store.js';
import {root} from '../sources.js';
import {seededBytes} from '../values/random.js';
import {activationToken} from '../values/secrets.js';
import {RecordedLog} from './recorded-log.js';
import {day, minute} from './samples.js';

/** The time at which the samples end, and at which they are read. */
const frozenAt = Date.UTC(2026, 10, 22);

/** The secrets of the samples, by names that say what they belong to. */
export interface Secrets {
  /** API keys of organizations. */
  readonly keys: Record<string, string>;
  readonly tokens: Record<string, string>;
  readonly connectors: Record<string, {readonly id: string; readonly key: string}>;
}

type Answers = Readonly<Record<string, readonly (string | object)[]>>;

type Open = (now: () => number) => Promise<Store>;

/** The path of a file of the samples. */
export const frozen = (name: string) => join(root, 'test', 'store', 'frozen', name);

/** The secrets of every sample, and what each answers. */
export function readAnswers(): {readonly secrets: Secrets; readonly answers: Answers} {
  return JSON.parse(readFileSync(frozen('answers.json'), 'utf8'));
}

interface CallOptions {
  readonly id?: string;
  readonly key?: string | undefined;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function makeApp(store: Store, runtime: Runtime) {
  // A slow machine must not count as overload.
  const unlimited = Number.POSITIVE_INFINITY;
  const limits = {maxEventLoopDelay: unlimited, activationFailureLimit: unlimited};
  const app = await buildApp({store, runtime, ...limits});
  const call = (operation: Operation, {id = '', key, body, headers = {}}: CallOptions) =>
    app.inject({
      method: routes[operation].method,
      url: fillPath(routes[operation].path, {id}),
      headers: {...(key !== undefined && {authorization: `Bearer ${key}`}), ...headers},
      ...(body && {payload: body}),
    });
  return {app, call};
}

/** How a token is redeemed; the repetition sends the same. */
const redemption = (token: string | undefined, name: string, attempt = name) => ({
  body: {token, name},
  headers: {[headers.idempotencyKey]: `attempt-of-${attempt}`},
});

/**
 * Fills a new store with every kind of record in every state, in the two days before `frozenAt`, and closes it. With the
 * same server secret, each run and each kind of store have the same ids and secrets.
 *
 * @param compact called when a part of the records is there
 */
export async function fillStore(
  open: Open,
  compact: (store: Store) => Promise<void> = async () => {},
): Promise<Secrets> {
  let time = frozenAt - 2 * day;
  const runtime: Runtime = {
    ...systemRuntime,
    now: () => time,
    newId: createIdFactory(() => 0.5),
    randomBytes: seededBytes('1 secrets'),
  };
  const store = await open(runtime.now);
  const admin = storeAdmin(store, new RecordedLog(), {runtime});
  const {app, call} = await makeApp(store, runtime);
  const keys: Secrets['keys'] = {};
  const tokens: Secrets['tokens'] = {};
  const connectors: Secrets['connectors'] = {};

  const addKey = async (name: string, more: Partial<NewKey> = {}) => {
    const key = {organization: 'acme', description: name, expiresAt: null, ...more};
    const {record, secret} = await admin.create(key);
    keys[name] = secret;
    return record.id;
  };
  const create = async (name: string, key = 'default', more: object = {}) => {
    const options = {key: keys[key], body: {description: `of ${name}`, ...more}};
    tokens[name] = (await call('createToken', options)).json().token;
  };
  const redeem = async (name: string) => {
    const {id, api_key: key} = (await call('activate', redemption(tokens[name], name))).json();
    connectors[name] = {id, key};
  };
  const activate = async (name: string, key?: string) => {
    await create(name, key);
    await redeem(name);
  };
  const idOf = (name: string) => connectors[name]?.id ?? '';
  const beat = (name: string, process?: string) =>
    call('heartbeat', {
      ...connectors[name],
      ...(process !== undefined && {headers: {[headers.process]: process}}),
    });
  /** Issues a token for a new key of a connector, under a name of its own. */
  const reissue = async (old: string, name: string) => {
    tokens[name] = (await admin.reissue(idOf(old), false)).token;
  };

  await addKey('default', {organization: 'default'});
  await addKey('other', {expiresAt: frozenAt + 365 * day});
  await addKey('expired', {description: null, expiresAt: time + day});
  await admin.revoke(await addKey('revoked early'), 'leaked');
  for (const name of ['oldest', 'revoked', 'old-disk']) await activate(name);
  await beat('revoked');
  await admin.revoke(idOf('revoked'), 'sold');
  await reissue('old-disk', 'new-disk');
  await redeem('new-disk');
  await beat('new-disk');
  time = frozenAt - 2.5 * minute;
  for (const process of ['one', 'copy', 'one']) await beat('oldest', process);
  await compact(store);
  await admin.revoke(await addKey('revoked late'), 'leaked');
  await create('expired', 'default', {ttl_seconds: 60});
  await activate('elsewhere', 'other');
  await create('open');
  for (const name of ['online', 'old-key', 'waiting', 'removed']) await activate(name);
  await reissue('old-key', 'new-key');
  await redeem('new-key');
  await beat('new-key');
  await reissue('waiting', 'closed-reissue');
  await reissue('waiting', 'open-reissue');
  await reissue('removed', 'reissue-of-removed');
  time = frozenAt - minute / 2;
  for (const name of ['online', 'elsewhere']) await beat(name);
  await app.close();
  // At the end, because a removal starts a compaction, which drops other records.
  await admin.remove([idOf('removed')], null);
  await store.close();
  return {keys, tokens, connectors};
}

/**
 * The status of a response, what tells it from others, and the secret that a repetition returns. Not the status of a
 * connector, which no store keeps.
 */
function outcomeOf(response: LightMyRequestResponse): string {
  const {code, last_heartbeat_at: at, api_key: key} = response.json();
  return [response.statusCode, code ?? at, key].filter(Boolean).join(' ');
}

/** What a store answers at `frozenAt` about each secret, over all routes, and what it lists, also when it is opened again. */
export async function answersOf(open: Open, {keys, tokens, connectors}: Secrets): Promise<Answers> {
  const newId = createIdFactory(() => 0.5);
  const runtime: Runtime = {...systemRuntime, now: () => frozenAt, newId};
  const answers: Record<string, readonly (string | object)[]> = {};
  const using = async (
    use: (app: Awaited<ReturnType<typeof makeApp>>, store: Store) => unknown,
  ) => {
    const store = await open(runtime.now);
    const app = await makeApp(store, runtime);
    await use(app, store);
    await app.app.close();
    await store.close();
  };
  const about = async (
    what: string,
    ...calls: readonly (() => Promise<LightMyRequestResponse>)[]
  ) => {
    const outcomes: string[] = [];
    for (const call of calls) outcomes.push(outcomeOf(await call()));
    answers[what] = outcomes;
  };
  await using(async ({call}, store) => {
    answers['keys'] = await store.listApiKeys();
    for (const [name, key] of Object.entries(keys)) await about(name, () => call('list', {key}));
    for (const [name, {id, key}] of Object.entries(connectors)) {
      const ask =
        (operation: Operation, by = key) =>
        () =>
          call(operation, {id, key: by});
      await about(name, ask('get', keys['default']), ask('get'), ask('heartbeat'));
    }
    for (const [name, token] of Object.entries({...tokens, unknown: activationToken()})) {
      const redeem = (attempt: string) => () => call('activate', redemption(token, name, attempt));
      await about(`token of ${name}`, redeem(name), redeem('another'));
    }
  });
  await using(async ({call}) => {
    answers['list'] = (await call('list', {key: keys['default']})).json();
  });
  return answers;
}
