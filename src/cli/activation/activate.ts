import {randomUUID} from 'node:crypto';
import {dirname} from 'node:path';
import type {Client} from '../../client/types.js';
import {hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {LockLostError} from '../../system/process-lock.js';
import {writeMessage} from '../terminal/streams.js';
import {
  type Credentials,
  credentialsOf,
  isSameActivation,
  textOf,
  type UsableReservation,
} from './credentials.js';
import {CredentialsDirectory} from './credentials-directory.js';
import {whenIdle} from './credentials-file.js';
import {idempotencyKey} from './idempotency-key.js';
import type {ActivationInput} from './input.js';
import {lockCredentials, lockLost, type Waiting} from './lock.js';
import {CannotReserve, type Found, Place, pendingPath} from './place.js';
import {type Attempt, keepOutcome, type Outcome, redeem} from './redeem.js';
import {type ActivateResult, alreadySaved, justSaved, shown, warnOfOtherName} from './result.js';
import {requireSameService} from './service.js';
import {type CredentialsTarget, lostHint, planActivation} from './target.js';

/** What to activate, and the file for its credential; without a file it is shown. */
export interface ActivationRequest {
  readonly input: ActivationInput;
  readonly baseUrl: string;
  readonly target: CredentialsTarget | undefined;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** What to do while another process activates into the file; by default it is waited for a while. */
  readonly waiting?: Waiting | undefined;
}

/**
 * Activates a connector and returns its credential, or saves it in a file. A file that is complete is not changed,
 * and nothing is sent.
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
  {input, baseUrl, signal}: ActivationRequest,
): Promise<ActivateResult> {
  const {token, name} = await input.resolve();
  const {key, unrepeatable} = await idempotencyKey(token);
  try {
    const reading = await client.activateConnector({token, name, idempotencyKey: key}, {signal});
    return shown(reading, {name, baseUrl, canRepeat: unrepeatable === undefined});
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
  const {target, input, signal, waiting} = request;
  const {path} = target;
  const found = await new Place(path).inspect({follows: true});
  if (found.placed.kind === 'credentials' && !target.force) {
    // A killed run may have left its pending file or its lock.
    await whenIdle(path, async (owned) => void (await owned.recover({follows: true})));
    warnOfReplacement(found, path);
    return complete(found.placed.credentials, request);
  }
  const lock = await lockCredentials({
    path,
    scope: 'file',
    label: input.name ?? 'a connector',
    hint: 'Wait until it ends, or choose another file with --credentials-file PATH.',
    signal,
    waiting,
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
  const {target, input, baseUrl} = request;
  const found = await place.recover({follows: true});
  const plan = await planActivation(target, place, found, input);
  switch (plan.do) {
    case 'report':
      return complete(plan.credentials, request);
    case 'place':
      await place.finish(target.force);
      return complete(plan.credentials, request);
    case 'resume':
      requireSameService(plan.reservation, baseUrl, place.pending);
      warnOfOtherName(plan.reservation, input.name, place.pending);
      return resume(client, request, place, plan.reservation);
    case 'activate':
      return activateAnew(client, request, place);
  }
}

/** The result for a file that an earlier run has completed. */
function complete(credentials: Credentials, {target, input}: FileRequest): ActivateResult {
  warnOfOtherName(credentials, input.name, target.path);
  return alreadySaved(credentials, target.path);
}

/** Warns of an activation that was to replace a complete file, and is not finished. */
function warnOfReplacement({placed, pending}: Found, path: string): void {
  if (pending.kind !== 'credentials' && pending.kind !== 'reservation') return;
  if (isSameActivation(placed, pending)) return;
  writeMessage(
    `Warning: ${pendingPath(path)} holds another activation, which is not finished. To finish it, use --force.`,
  );
}

async function activateAnew(
  client: Client,
  request: FileRequest,
  place: Place,
): Promise<ActivateResult> {
  const {token, name} = await request.input.resolve();
  const reservation = {
    base_url: request.baseUrl,
    name,
    token_hash: hashSecret(token),
    idempotency_key: randomUUID(),
    token,
  };
  const outcome = await useToken(client, request, place, {reservation, isResumed: false});
  if (outcome.result === 'saved') return justSaved(outcome.reading, place.path);
  if (outcome.result !== 'unknown') throw outcome.error;
  throw withRepeatHint(await keepOutcome(place, outcome.error, outcome.reservation));
}

/** Finishes what an earlier run began, with its token, name and idempotency key. */
async function resume(
  client: Client,
  request: FileRequest,
  place: Place,
  reservation: UsableReservation,
): Promise<ActivateResult> {
  const outcome = await useToken(client, request, place, {reservation, isResumed: true});
  if (outcome.result === 'saved') return justSaved(outcome.reading, place.path);
  if (outcome.result !== 'unknown') throw outcome.error;
  const error = await keepOutcome(place, outcome.error, outcome.reservation);
  if (isNeverUsed(error) && !outcome.reservation.response_lost) {
    const other = await request.input.given({mayBeGone: true}).catch(() => undefined);
    const isOther = other !== undefined && hashSecret(other) !== reservation.token_hash;
    if (!isOther) throw error.with({hint: `${newTokenHint} It then replaces ${place.pending}.`});
    writeMessage(`Giving up the unfinished activation in ${place.pending}: ${error.message}`);
    await place.release();
    return activateAnew(client, request, place);
  }
  if (error.kind === 'conflict' || error.kind === 'auth') {
    throw error.with({hint: lostHint(place)});
  }
  throw withRepeatHint(error);
}

const newTokenHint = 'Pass a new token with --token-file PATH.';

/** Whether the service says that nobody has used the token. An earlier run may have had no time to send it. */
function isNeverUsed({reason, status}: AppError): boolean {
  if (reason === 'activation-token-unusable') return status === 410;
  return reason === 'activation-token-expired' || reason === 'activation-token-unknown';
}

/** Uses the token of a reservation, and saves the credentials. */
async function useToken(
  client: Client,
  {target, signal}: FileRequest,
  place: Place,
  {reservation, isResumed}: Pick<Attempt, 'isResumed' | 'reservation'>,
): Promise<Outcome> {
  const {token, name, idempotency_key: idempotencyKey} = reservation;
  await place.reserve();
  return redeem(place, {
    reservation,
    isResumed,
    replaces: target.force,
    send: (options) =>
      client.activateConnector({token, name, idempotencyKey}, {...options, signal}),
    contentOf: async (reading) =>
      Buffer.from(textOf(credentialsOf(reading, reservation, new Date()))),
  });
}

/** Says how to finish when the connector may be activated, unless the error says what to do. */
function withRepeatHint(error: AppError, name?: string): AppError {
  if (!error.outcomeUnknown || error.kind === 'conflict') return error;
  // A pending file has the name.
  const same = name === undefined ? '' : ` with the name ${JSON.stringify(name)}`;
  return error.with({
    hint: `The connector may be activated nevertheless. To finish, run the same command again${same}.`,
  });
}
