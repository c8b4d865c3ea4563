import {randomUUID} from 'node:crypto';
import {dirname} from 'node:path';
import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {LockLostError} from '../../system/process-lock.js';
import {type Credentials, credentialsOf, type Reservation, textOf} from './credentials.js';
import {CredentialsDirectory} from './credentials-directory.js';
import {whenIdle} from './credentials-file.js';
import {idempotencyKey} from './idempotency-key.js';
import {missingToken} from './input.js';
import {lockCredentials, lockLost} from './lock.js';
import {CannotReserve, type Found, Place} from './place.js';
import {keepUnreadable, redeem} from './redeem.js';
import {type ActivateResult, alreadySaved, justSaved, shown} from './result.js';
import {type CredentialsTarget, checkPlace, requireOwnPending} from './target.js';

/** What to activate, and the file for its credential; without a file it is shown. */
export interface ActivationRequest {
  /** Undefined: only what an earlier run has activated can be finished. */
  readonly token: string | undefined;
  readonly tokenHash: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly target: CredentialsTarget | undefined;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/**
 * Activates a connector and returns its credential, or saves it in a file.
 *
 * @throws AppError `usage` when the file exists or cannot be written, `unavailable` when another process
 * holds its lock; and whatever the client throws
 */
export async function activate(
  client: Client,
  request: ActivationRequest,
): Promise<ActivateResult> {
  const {target} = request;
  return target === undefined
    ? activateAndShow(client, request)
    : activateIntoFile(client, {...request, target});
}

async function activateAndShow(
  client: Client,
  request: ActivationRequest,
): Promise<ActivateResult> {
  const {token, name, signal} = request;
  if (token === undefined) throw missingToken();
  const {key, unrepeatable} = await idempotencyKey(token);
  try {
    const reading = await client.activateConnector({token, name, idempotencyKey: key}, {signal});
    return shown(reading, {...request, canRepeat: unrepeatable === undefined});
  } catch (error) {
    if (!(error instanceof AppError) || !error.outcomeUnknown) throw error;
    if (unrepeatable === undefined) throw withRepeatHint(error, name);
    throw error.with({
      hint: `The connector may be activated nevertheless, and no later run can repeat the request: no secret for its idempotency key can be saved (${unrepeatable}). Look for it with: connectorctl connector list`,
    });
  }
}

/** A request whose result goes into a file. */
type FileRequest = ActivationRequest & {readonly target: CredentialsTarget};

/**
 * One process at a time creates the file. Nothing is sent before the file is known to be writable; another
 * run finishes an activation whose response was lost.
 */
async function activateIntoFile(client: Client, request: FileRequest): Promise<ActivateResult> {
  const {path} = request.target;
  const found = await new Place(path).inspect({follows: true});
  const known = knownCredentials(found, request.tokenHash);
  if (known !== undefined) {
    // A killed run may have left its pending file or its lock.
    await whenIdle(path, async (owned) => void (await owned.recover({follows: true})));
    return alreadySaved(known, request.name, path);
  }
  const lock = await lockCredentials({
    path,
    scope: 'file',
    label: request.name,
    hint: 'Wait until it ends, or choose another file with --credentials-file PATH.',
    signal: request.signal,
    cannotWrite: (error) => new CannotReserve(path, error).error,
  });
  const directory = new CredentialsDirectory(dirname(path), {lock});
  const place = new Place(path, directory);
  try {
    return await activateAsOwner(client, request, place);
  } catch (error) {
    if (error instanceof LockLostError) throw lockLost(path, error);
    throw error instanceof CannotReserve ? error.error : error;
  } finally {
    await place.leave();
    await directory.close();
    await lock.release();
  }
}

async function activateAsOwner(
  client: Client,
  request: FileRequest,
  place: Place,
): Promise<ActivateResult> {
  const {token, tokenHash, name, baseUrl, target, signal} = request;
  const {path, force} = target;
  const found = await place.recover({follows: true});
  const known = knownCredentials(found, tokenHash);
  if (known !== undefined) return alreadySaved(known, name, path);
  const unplaced = unplacedCredentials(found, request, place);
  if (unplaced !== undefined) {
    await place.finish(force);
    return alreadySaved(unplaced, name, path);
  }
  await checkPlace(target);
  if (token === undefined) throw missingToken();
  const earlier = unfinished(found, tokenHash);
  const reservation = {
    base_url: baseUrl,
    name: earlier?.name ?? name,
    token_hash: tokenHash,
    idempotency_key: earlier?.idempotency_key ?? randomUUID(),
    token,
    unreadable_response: earlier?.unreadable_response,
  };
  await place.reserve();
  const outcome = await redeem(place, {
    reservation,
    isResumed: earlier !== undefined,
    replaces: force,
    send: (options) =>
      client.activateConnector(
        {token, name, idempotencyKey: reservation.idempotency_key},
        {...options, signal},
      ),
    contentOf: async (reading) =>
      Buffer.from(textOf(credentialsOf(reading, {...reservation, name}, new Date()))),
  });
  switch (outcome.result) {
    case 'saved':
      return justSaved(outcome.reading, path);
    case 'unsaved':
    case 'refused':
      throw outcome.error;
    case 'unknown': {
      const error = await keepUnreadable(place, outcome.error, outcome.reservation);
      throw earlier !== undefined && error.kind === 'conflict'
        ? usedByEarlierRun(error, earlier)
        : withRepeatHint(error, reservation.name);
    }
  }
}

/** The credentials that an earlier run with this token saved. */
function knownCredentials({placed}: Found, tokenHash: string): Credentials | undefined {
  if (placed.kind !== 'credentials') return undefined;
  return placed.credentials.token_hash === tokenHash ? placed.credentials : undefined;
}

/** The activation that an earlier run with this token began. */
function unfinished({pending}: Found, tokenHash: string): Reservation | undefined {
  if (pending.kind !== 'reservation') return undefined;
  return pending.reservation.token_hash === tokenHash ? pending.reservation : undefined;
}

/**
 * The credentials of an earlier run with this token that are not at their path yet.
 *
 * @throws AppError `usage` when they may not be moved there, or the pending file is not of this activation
 */
function unplacedCredentials(
  {placed, pending}: Found,
  {tokenHash, target: {path, force}}: FileRequest,
  place: Place,
): Credentials | undefined {
  requireOwnPending(place, pending, tokenHash);
  if (pending.kind !== 'credentials') return undefined;
  if (placed.kind !== 'absent' && !force) {
    throw new AppError(
      'usage',
      `The connector is activated; its credentials are in ${place.pending}, because ${path} exists.`,
      {hint: `Replace ${path} with --force, or move the credentials elsewhere.`},
    );
  }
  return pending.credentials;
}

function usedByEarlierRun(error: AppError, {name}: Reservation): AppError {
  return error.with({
    hint: `An earlier run, for the name ${JSON.stringify(name)}, may have used the token. Finish it with that name, or check the outcome: connectorctl connector list`,
  });
}

/** Says how to finish when the connector may be activated, unless the error says what to do. */
function withRepeatHint(error: AppError, name: string): AppError {
  if (!error.outcomeUnknown || error.kind === 'conflict') return error;
  return error.with({
    hint: `The connector may be activated nevertheless. To finish, run the same command again with the name ${JSON.stringify(name)}.`,
  });
}
