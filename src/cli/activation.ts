import {randomUUID} from 'node:crypto';
import type {ActivationReading, Client, Json, JsonObject} from '../client/types.js';
import {hashSecret} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {escapeControl} from '../render/escape.js';
import {
  type Credentials,
  type CredentialsPlace,
  commitCredentials,
  inspectCredentials,
  pendingPath,
  placeCredentials,
  type Reservation,
  releaseCredentials,
  reserveCredentials,
} from './credentials-file.js';
import {shownOnce} from './streams.js';

/** Where the credential of an activation is to go. */
export interface CredentialsTarget {
  readonly path: string;
  /** Whether a file that is there already may be replaced. */
  readonly force: boolean;
}

/** What to activate, and where its credential is to go: undefined to show it. */
export interface WantedActivation {
  readonly token: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly target: CredentialsTarget | undefined;
  /** Calls the request off. */
  readonly signal?: AbortSignal | undefined;
}

/** What an activation came to. */
export interface ActivateResult {
  /** What to show: without the credential when that is in a file. */
  readonly reading: ActivationReading;
  /** What to say about it. */
  readonly talk: readonly string[];
}

/**
 * Looks at the place of a credentials file before anybody is asked for anything.
 *
 * @throws AppError `usage` when something else is there, or it cannot be read
 */
export async function checkTarget({path, force}: CredentialsTarget): Promise<void> {
  const {taken, credentials} = await inspectCredentials(path);
  // Credentials may be those of the same token, which is then no error.
  if (taken && credentials === undefined && !force) throw inTheWay(path);
}

/**
 * Activates a connector and shows its credential, or keeps it in a file.
 *
 * @throws AppError `usage` when the file is there already or cannot be written, and as the client does
 */
export async function activate(client: Client, wanted: WantedActivation): Promise<ActivateResult> {
  const {token, name, target, signal} = wanted;
  if (target !== undefined) return activateIntoFile(client, wanted, target);
  const reading = await client.activateConnector({token, name}, {signal});
  if (reading.credential !== undefined) {
    shownOnce(
      `${escapeControl(reading.connector?.id ?? name)} is activated, and its credential is lost with the output. Activate it anew: connectorctl token create`,
    );
  }
  return {reading, talk: [outcomeTalk(reading, name)]};
}

/** Says yes in any case: a service may answer nothing at all (interface §4.2). */
function outcomeTalk({connector, credential}: ActivationReading, name: string): string {
  if (credential !== undefined) return `Keep the ${credential.field}: it is not shown again.`;
  return connector === undefined
    ? `Activated ${escapeControl(name)}; its service says nothing more of it.`
    : 'Activated. Its service made no credential of its own.';
}

/**
 * Nothing is sent before the file is known to be writable; a run that lost the answer is finished
 * by running it again.
 */
async function activateIntoFile(
  client: Client,
  wanted: WantedActivation,
  target: CredentialsTarget,
): Promise<ActivateResult> {
  const {path, force} = target;
  const tokenHash = hashSecret(wanted.token);
  const place = await inspectCredentials(path);
  const known = await knownCredentials(place, tokenHash, target);
  if (known !== undefined) return alreadyActivated(known, wanted.name, path);
  if (place.taken && !force) throw inTheWay(path);
  const reservation = await reserve(place, wanted, tokenHash, path);
  const reading = await attempt(client, wanted, reservation, path);
  const credentials = {
    base_url: wanted.baseUrl,
    connector_id: reading.connector?.id ?? null,
    name: reading.connector?.name ?? wanted.name,
    api_key: reading.credential?.value ?? null,
    token_hash: tokenHash,
    activated_at: new Date().toISOString(),
  };
  await commitCredentials(path, credentials, force);
  const said = reading.credential
    ? 'The credential is'
    : 'The service made no credential; the rest is';
  return {reading: withoutCredential(reading), talk: [`${said} in ${path}.`]};
}

/** The credentials that an earlier run with this token got, put in their place if they are not. */
async function knownCredentials(
  {taken, credentials, unplaced}: CredentialsPlace,
  tokenHash: string,
  {path, force}: CredentialsTarget,
): Promise<Credentials | undefined> {
  if (credentials?.token_hash === tokenHash) return credentials;
  if (unplaced === undefined) return undefined;
  const pending = pendingPath(path);
  if (unplaced.token_hash !== tokenHash) {
    throw new AppError(
      'usage',
      `${pending} holds the credentials of another connector, ${unplaced.name}. Nothing was sent.`,
      {hint: 'Move that file to where it belongs, then run this command again.'},
    );
  }
  if (taken && !force) {
    throw new AppError(
      'usage',
      `The connector is activated and its credentials are in ${pending}, for ${path} is there already.`,
      {hint: 'Replace it with --force, or move the credentials to where they belong.'},
    );
  }
  await placeCredentials(path, force);
  return unplaced;
}

function inTheWay(path: string): AppError {
  return new AppError('usage', `${path} is there already; nothing was sent.`, {
    hint: 'Name another file, or replace this one with --force.',
  });
}

/** A reservation, and whether an earlier run made it, which may have activated the connector. */
type Attempt = Reservation & {readonly resumed: boolean};

/** The same token gets the idempotency key of the first run, so that a lost answer is answered again. */
async function reserve(
  {reservation: earlier}: CredentialsPlace,
  {baseUrl, name}: WantedActivation,
  tokenHash: string,
  path: string,
): Promise<Attempt> {
  if (earlier?.token_hash === tokenHash) return {...earlier, resumed: true};
  const wanted = {
    base_url: baseUrl,
    name,
    token_hash: tokenHash,
    idempotency_key: randomUUID(),
  };
  const reservation = await reserveCredentials(path, wanted);
  return {...reservation, resumed: reservation !== wanted};
}

/** Failures by which nothing was activated, unless an answer was lost before. */
const refusals = new Set(['usage', 'auth', 'not_found', 'state', 'cancelled']);

async function attempt(
  client: Client,
  {token, name, signal}: WantedActivation,
  reservation: Attempt,
  path: string,
): Promise<ActivationReading> {
  const {resumed, idempotency_key: idempotencyKey, name: firstName} = reservation;
  try {
    return await client.activateConnector({token, name, idempotencyKey}, {signal});
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {kind, mayHaveHappened} = error;
    if (!resumed && refusals.has(kind) && !mayHaveHappened) await releaseCredentials(path);
    const hint = hintAfter(error, resumed, firstName);
    throw hint === undefined ? error : error.with({hint});
  }
}

/** What to do where an activation may have happened; undefined where the error says it already. */
function hintAfter(
  {kind, mayHaveHappened}: AppError,
  resumed: boolean,
  firstName: string,
): string | undefined {
  if (resumed && kind === 'state') {
    return `An earlier run, for the name ${JSON.stringify(firstName)}, may have used the token. Finish it with that name, or see what it came to: connectorctl connector list`;
  }
  if (!mayHaveHappened || kind === 'state') return undefined;
  return 'The connector may be activated nevertheless. To finish that, run the same command again.';
}

function alreadyActivated(
  {connector_id: id, name}: Credentials,
  wantedName: string,
  path: string,
): ActivateResult {
  const raw = {...(id !== null && {id}), name};
  const unknown = {organization: undefined, status: undefined, activatedAt: undefined};
  const connector =
    id === null ? undefined : {id, name, ...unknown, lastHeartbeatAt: undefined, raw};
  return {
    reading: {connector, credential: undefined, raw},
    talk: [
      `Already activated; the credential is in ${path}. Nothing was sent.`,
      ...(name === wantedName ? [] : [`Its name stays ${escapeControl(name)}.`]),
    ],
  };
}

/** The reading as it may be shown once the credential is in a file: whatever holds it is left out. */
function withoutCredential(reading: ActivationReading): ActivationReading {
  const {credential, connector} = reading;
  if (credential === undefined) return reading;
  const shown = (object: JsonObject) => withoutValue(object, credential.value);
  return {
    connector: connector && {...connector, raw: shown(connector.raw)},
    credential: undefined,
    raw: shown(reading.raw),
  };
}

function withoutValue(object: JsonObject, secret: string): JsonObject {
  const kept = Object.entries(object).filter(([, value]) => value !== secret);
  return Object.fromEntries(kept.map(([field, value]) => [field, cleaned(value, secret)]));
}

function cleaned(value: Json, secret: string): Json {
  if (Array.isArray(value)) {
    return value.filter((member) => member !== secret).map((member) => cleaned(member, secret));
  }
  return typeof value === 'object' && value !== null ? withoutValue(value, secret) : value;
}
