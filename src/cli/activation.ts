import {randomUUID} from 'node:crypto';
import {access} from 'node:fs/promises';
import type {ActivationReading, Client, Json, JsonObject} from '../client/types.js';
import {hashSecret} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {
  type Credentials,
  commitCredentials,
  readCredentials,
  releaseCredentials,
  reserveCredentials,
} from './credentials-file.js';

/** What to activate, and where its credential is to go. */
export interface WantedActivation {
  readonly token: string;
  readonly name: string;
  readonly baseUrl: string;
  /** Where the credentials file is to be; undefined to show the credential instead. */
  readonly credentialsFile: string | undefined;
  /** Whether a file that is there already may be replaced. */
  readonly force: boolean;
}

/** What an activation came to. */
export interface ActivateResult {
  /** What to show: without the credential when that is in a file. */
  readonly reading: ActivationReading;
  /** What to say about it. */
  readonly talk: readonly string[];
}

/**
 * Activates a connector and shows its credential, or keeps it in a file.
 *
 * @throws AppError `usage` when the file is there already or cannot be written, and as the client does
 */
export async function activate(client: Client, wanted: WantedActivation): Promise<ActivateResult> {
  const {token, name, credentialsFile} = wanted;
  if (credentialsFile !== undefined) return activateIntoFile(client, wanted, credentialsFile);
  const reading = await client.activateConnector({token, name});
  const talk = reading.credential
    ? [`Keep the ${reading.credential.field}: it is not shown again.`]
    : [];
  return {reading, talk};
}

/**
 * Nothing is sent before the file is known to be writable; a run that lost the answer is finished
 * by running it again.
 */
async function activateIntoFile(
  client: Client,
  wanted: WantedActivation,
  path: string,
): Promise<ActivateResult> {
  const {token, name, baseUrl, force} = wanted;
  const tokenHash = hashSecret(token);
  const credentials = await readCredentials(path);
  if (credentials?.token_hash === tokenHash) return alreadyActivated(credentials, path);
  if (!force && (await exists(path))) {
    throw new AppError('usage', `${path} is there already; nothing was sent.`, {
      hint: 'Name another file, or replace this one with --force.',
    });
  }
  const {idempotency_key: idempotencyKey} = await reserveCredentials(path, {
    base_url: baseUrl,
    name,
    token_hash: tokenHash,
    idempotency_key: randomUUID(),
  });
  const reading = await attempt(client, {token, name, idempotencyKey}, path);
  await commitCredentials(
    path,
    {
      base_url: baseUrl,
      connector_id: reading.connector?.id ?? null,
      name,
      api_key: reading.credential?.value ?? null,
      token_hash: tokenHash,
      activated_at: new Date().toISOString(),
    },
    force,
  );
  const said = reading.credential
    ? 'The credential is'
    : 'The service made no credential; the rest is';
  return {reading: withoutCredential(reading), talk: [`${said} in ${path}.`]};
}

function alreadyActivated({connector_id: id, name}: Credentials, path: string): ActivateResult {
  const raw = {...(id !== null && {id}), name};
  const unknown = {organization: undefined, status: undefined, activatedAt: undefined};
  const connector =
    id === null ? undefined : {id, name, ...unknown, lastHeartbeatAt: undefined, raw};
  return {
    reading: {connector, credential: undefined, raw},
    talk: [`Already activated; the credential is in ${path}. Nothing was sent.`],
  };
}

/** The reading as it may be shown once the credential is in a file: that field is gone, the rest stays. */
function withoutCredential(reading: ActivationReading): ActivationReading {
  const {credential, connector} = reading;
  if (credential === undefined) return reading;
  const path = credential.field.split('.');
  const shown = connector && {...connector, raw: omit(connector.raw, path.slice(-1))};
  return {connector: shown, credential: undefined, raw: omit(reading.raw, path)};
}

function omit(object: JsonObject, [field, ...rest]: readonly string[]): JsonObject {
  if (field === undefined) return object;
  const {[field]: value, ...others} = object;
  if (rest.length === 0 || !isObject(value)) return others;
  return {...object, [field]: omit(value, rest)};
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the service surely did not activate: then there is nothing that a later run could finish. */
const refused = new Set(['usage', 'auth', 'not_found', 'state']);

async function attempt(
  client: Client,
  activation: {readonly token: string; readonly name: string; readonly idempotencyKey: string},
  path: string,
): Promise<ActivationReading> {
  try {
    return await client.activateConnector(activation);
  } catch (error) {
    if (error instanceof AppError && refused.has(error.kind)) await releaseCredentials(path);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
