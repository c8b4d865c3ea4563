import {randomUUID} from 'node:crypto';
import {isPublic, publicFields} from '../../client/read/public-fields.js';
import {readActivation} from '../../client/read/reader.js';
import type {ActivationReading, Client} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import {shellWord} from '../../render/notices.js';
import {defaultBaseUrl} from '../service/settings.js';
import {isOutputDiscarded, protectOutput, writeMessage} from '../terminal/streams.js';
import {
  type Credentials,
  type CredentialsPlace,
  cannotWrite,
  commitCredentials,
  inspectCredentials,
  pendingPath,
  placeCredentials,
  releaseCredentials,
  reserveCredentials,
} from './credentials-file.js';
import {checkPlace} from './credentials-place.js';
import {type Attempt, noteActivation} from './notes.js';
import {type Owner, TargetLock} from './target-lock.js';

/** The credentials file of an activation. */
interface CredentialsTarget {
  readonly path: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/** What to activate, and the file for its credential; without a file it is shown. */
interface ActivationRequest {
  readonly token: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly target: CredentialsTarget | undefined;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The result of an activation. */
interface ActivateResult {
  /** What to show: without the credential when that is in a file. */
  readonly reading: ActivationReading;
  /** Lines for the user. */
  readonly notices: readonly string[];
  /** The result as JSON, marked when an earlier run activated the connector. */
  readonly json: Json;
  /** Must be called once the result has reached its reader. */
  readonly finish: () => Promise<void>;
}

/** Milliseconds to wait for another process that activates the same token into the same file. */
const patience = 60_000;

/**
 * Checks the target of the credential before any prompt.
 *
 * @throws AppError `usage` when the credential would be lost, or the file exists or cannot be read
 */
export async function checkTarget(target: CredentialsTarget | undefined): Promise<void> {
  if (target === undefined) {
    if (!isOutputDiscarded()) return;
    throw new AppError('usage', 'The credential would be lost: stdout is closed or discarded.', {
      hint: 'Save it to a file with --credentials-file PATH. Nothing was sent.',
    });
  }
  const {path, force} = target;
  const {credentials} = await inspectCredentials(path);
  // Credentials of the same token are not an error.
  if (credentials === undefined) await checkPlace(path, force);
}

/**
 * Activates a connector and returns its credential, or saves it in a file.
 *
 * @throws AppError `usage` when the file exists or cannot be written, and as the client does
 */
export async function activate(
  client: Client,
  request: ActivationRequest,
): Promise<ActivateResult> {
  const {target} = request;
  if (target !== undefined) return activateIntoFile(client, request, target);
  const attempt = await noteActivation({
    base_url: request.baseUrl,
    name: request.name,
    token_hash: hashSecret(request.token),
  });
  const reading = await send(client, request, attempt);
  if (!isPublic(reading.raw)) {
    const finish = attempt.canResume
      ? 'To get it, run the same command again.'
      : 'Activate it again with a new token: connectorctl token create';
    protectOutput(
      `${escapeControl(reading.connector?.id ?? request.name)} is activated, and its credential is lost with the output. ${finish}`,
    );
  }
  const service =
    request.baseUrl === defaultBaseUrl ? '' : ` --base-url ${shellWord(request.baseUrl)}`;
  const words = `${shellWord(reading.connector?.id ?? '')}${service} --api-key-file FILE`;
  const notices = [outcomeNotice(reading, request.name), ...nextNotices(reading, words)];
  return {reading, notices, json: reading.raw, finish: attempt.forget};
}

/** Confirms the activation in any case: the response may be empty (interface §4.2). */
function outcomeNotice({credential, raw}: ActivationReading, name: string): string {
  if (credential !== undefined)
    return `Save the ${credential.field} in a file that only you can read: it is not shown again.`;
  if (!isPublic(raw)) {
    return 'Activated. Save this response: if it holds a credential, that is not shown again.';
  }
  return Object.keys(publicFields(raw)).length === 0
    ? `Activated ${escapeControl(name)}. The service returned no details.`
    : 'Activated. The response holds no credential.';
}

/**
 * One process at a time creates the file. Nothing is sent before the file is known to be writable; the
 * same command resumes an activation whose response was lost.
 */
async function activateIntoFile(
  client: Client,
  request: ActivationRequest,
  target: CredentialsTarget,
): Promise<ActivateResult> {
  const tokenHash = hashSecret(request.token);
  const known = await knownCredentials(await inspectCredentials(target.path), tokenHash);
  if (known !== undefined) return alreadyActivated(known, request, target.path);
  const lock = await acquire(request, target.path, tokenHash);
  try {
    return await activateAsOwner(client, request, target, tokenHash);
  } finally {
    await lock.release();
  }
}

async function acquire(
  {name, signal}: ActivationRequest,
  path: string,
  tokenHash: string,
): Promise<TargetLock> {
  const deadline = performance.now() + patience;
  let isWaiting = false;
  const wait = (owner: Owner) => {
    if (owner.tokenHash !== tokenHash || performance.now() > deadline) throw busy(path, owner);
    if (!isWaiting)
      writeMessage(`Process ${owner.pid} is activating with the same token; waiting for it.`);
    isWaiting = true;
  };
  try {
    return await TargetLock.acquire(path, {name, tokenHash}, wait, signal);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (signal.aborted) throw new AppError('cancelled', 'Cancelled; nothing was sent.');
    throw cannotWrite(path, error);
  }
}

function busy(path: string, {pid, host, name}: Owner): AppError {
  return new AppError(
    'usage',
    `Process ${pid} on ${escapeControl(host)} is activating ${escapeControl(name)} into ${path}; nothing was sent.`,
    {hint: 'Wait until it ends, or choose another file with --credentials-file PATH.'},
  );
}

async function activateAsOwner(
  client: Client,
  request: ActivationRequest,
  {path, force}: CredentialsTarget,
  tokenHash: string,
): Promise<ActivateResult> {
  const place = await inspectCredentials(path);
  const known = await knownCredentials(place, tokenHash);
  if (known !== undefined) return alreadyActivated(known, request, path);
  if (place.unplaced !== undefined) {
    await placeEarlier(place, place.unplaced, tokenHash, {path, force});
    return alreadyActivated(place.unplaced, request, path);
  }
  await checkPlace(path, force);
  const attempt = await reserve(place, request, tokenHash, path);
  const reading = await send(client, request, attempt);
  const credentials: Credentials = {
    base_url: request.baseUrl,
    connector_id: reading.connector?.id ?? null,
    name: reading.connector?.name ?? request.name,
    api_key: reading.credential?.value ?? null,
    response: reading.raw,
    token_hash: tokenHash,
    activated_at: new Date().toISOString(),
  };
  await commitCredentials(path, credentials, force);
  return {
    reading: withoutCredential(reading.raw),
    notices: [
      keptNotice(reading, path),
      ...nextNotices(reading, `--credentials-file ${shellWord(path)}`),
    ],
    json: publicFields(reading.raw),
    finish: async () => undefined,
  };
}

function keptNotice({credential, raw}: ActivationReading, path: string): string {
  if (credential !== undefined) return `The credential is in ${path}.`;
  return isPublic(raw)
    ? `The response holds no credential; the rest is in ${path}.`
    : `The whole response is in ${path}. None of its fields is known to hold the API key, so heartbeats with this file send no key.`;
}

/** The next command. None when the response lacks the id or the key, which `heartbeat` needs. */
function nextNotices({connector, credential}: ActivationReading, words: string): readonly string[] {
  if (connector?.id === undefined || credential === undefined) return [];
  return [`Next: connectorctl connector heartbeat ${words}`];
}

/** The credentials that an earlier run with this token saved. */
function knownCredentials(
  {credentials}: CredentialsPlace,
  tokenHash: string,
): Credentials | undefined {
  return credentials?.token_hash === tokenHash ? credentials : undefined;
}

/** Finishes an earlier run with this token: moves its credentials to their path. */
async function placeEarlier(
  {taken}: CredentialsPlace,
  unplaced: Credentials,
  tokenHash: string,
  {path, force}: CredentialsTarget,
): Promise<void> {
  const pending = pendingPath(path);
  if (unplaced.token_hash !== tokenHash) {
    throw new AppError(
      'usage',
      `${pending} holds the credentials of another connector, ${escapeControl(unplaced.name)}. Nothing was sent.`,
      {hint: 'Move that file elsewhere, then run this command again.'},
    );
  }
  if (taken && !force) {
    throw new AppError(
      'usage',
      `The connector is activated; its credentials are in ${pending}, because ${path} exists.`,
      {hint: `Replace ${path} with --force, or move the credentials elsewhere.`},
    );
  }
  await placeCredentials(path, force);
}

/** Reuses the idempotency key of an earlier run with the same token: the service then repeats its response. */
async function reserve(
  {reservation: earlier}: CredentialsPlace,
  {baseUrl, name}: ActivationRequest,
  tokenHash: string,
  path: string,
): Promise<Attempt> {
  const own = {canResume: true, forget: () => releaseCredentials(path)};
  if (earlier?.token_hash === tokenHash) {
    return {...own, resumed: true, idempotencyKey: earlier.idempotency_key, name: earlier.name};
  }
  const idempotencyKey = randomUUID();
  await reserveCredentials(path, {
    base_url: baseUrl,
    name,
    token_hash: tokenHash,
    idempotency_key: idempotencyKey,
  });
  return {...own, resumed: false, idempotencyKey, name};
}

/** Errors after which nothing is activated, unless an earlier response was lost. */
const refusals = new Set(['usage', 'auth', 'not_found', 'conflict', 'cancelled']);

async function send(
  client: Client,
  {token, name, signal}: ActivationRequest,
  attempt: Attempt,
): Promise<ActivationReading> {
  const {idempotencyKey, resumed, forget} = attempt;
  try {
    return await client.activateConnector({token, name, idempotencyKey}, {signal});
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {kind, outcomeUnknown} = error;
    if (!resumed && refusals.has(kind) && !outcomeUnknown) await forget();
    const hint = hintAfter(error, attempt);
    throw hint === undefined ? error : error.with({hint});
  }
}

/** What to do when the connector may be activated; undefined when the error already says it. */
function hintAfter(
  {kind, outcomeUnknown}: AppError,
  {resumed, name, canResume}: Attempt,
): string | undefined {
  if (resumed && kind === 'conflict') {
    return `An earlier run, for the name ${JSON.stringify(name)}, may have used the token. Finish it with that name, or check the outcome: connectorctl connector list`;
  }
  if (!canResume || !outcomeUnknown || kind === 'conflict') return undefined;
  return `The connector may be activated nevertheless. To finish, run the same command again with the name ${JSON.stringify(name)}.`;
}

function alreadyActivated(
  {connector_id: id, name, api_key: apiKey, response}: Credentials,
  {name: wantedName}: ActivationRequest,
  path: string,
): ActivateResult {
  const reading = withoutCredential(response ?? {...(id !== null && {id}), name});
  return {
    reading,
    notices: [
      `Already activated; the ${apiKey === null ? 'response' : 'credential'} is in ${path}. Nothing was sent.`,
      ...(name === wantedName ? [] : [`Its name is still ${escapeControl(name)}.`]),
    ],
    json: {...publicFields(reading.raw), already_activated: true},
    finish: async () => undefined,
  };
}

/** The public part of a response that is saved in a file. */
function withoutCredential(response: Json): ActivationReading {
  return {...readActivation(publicFields(response), ''), credential: undefined};
}
