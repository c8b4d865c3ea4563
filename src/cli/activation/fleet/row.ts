import {randomUUID} from 'node:crypto';
import {stat} from 'node:fs/promises';
import {isSameService} from '../../../client/settings.js';
import type {ActivationReading, Client} from '../../../client/types.js';
import {hashSecret} from '../../../domain/secret.js';
import {AppError, type ErrorKind} from '../../../errors.js';
import type {ActivationResult} from '../../../render/formats/activations.js';
import {hasCode} from '../../errors/system-error.js';
import {type Credentials, textOf} from '../credentials-file.js';
import type {Reservation} from '../notes.js';
import type {Machine} from './machine-list.js';
import type {Place, WritablePlace} from './place.js';
import type {Requests} from './requests.js';

/** What became of a row. `error` may be a reason to stop the whole run. */
export interface RowOutcome extends Omit<ActivationResult, 'machine' | 'error'> {
  readonly error?: AppError | undefined;
  /** Whether the directory did not take the credentials: it would not take those of further rows either. */
  readonly isDirectoryLost?: boolean;
}

/** What all rows share. */
export interface RowContext {
  /** Makes one attempt per call. */
  readonly client: Pick<Client, 'activateConnector' | 'createToken' | 'listConnectors'>;
  readonly requests: Requests;
  readonly baseUrl: string;
  /** Whether a row whose token does not exist yet is to be left alone. */
  readonly isStopped: () => boolean;
  /** Encrypts credentials to a recipient. */
  readonly encrypt: (text: string, recipient: string) => Promise<Uint8Array>;
}

/** A reservation whose token can still be used. */
type TokenReservation = Reservation & {readonly token: string};

/** What a row is about to do, by what is in the directory. */
type Plan =
  | {readonly do: 'report'; readonly outcome: RowOutcome}
  | {readonly do: 'place'; readonly id: string | undefined}
  | {readonly do: 'resume'; readonly reservation: TokenReservation}
  | {readonly do: 'activate'};

/** The use of a token. */
interface Redemption {
  readonly reservation: TokenReservation;
  /** An earlier run may have used it. */
  readonly isResumed: boolean;
}

/** Says what would become of a row, without changing or sending anything. */
export async function previewRow(
  machine: Machine,
  place: Place,
  baseUrl: string,
): Promise<RowOutcome> {
  const plan = await planRow(machine, place, baseUrl);
  return plan.do === 'report' ? plan.outcome : {result: 'skipped'};
}

/**
 * Activates the connector of one row, or finishes what an earlier run began.
 *
 * @throws LocalFailure when the directory cannot be written
 */
export async function activateRow(
  context: RowContext,
  machine: Machine,
  place: WritablePlace,
): Promise<RowOutcome> {
  try {
    const plan = await planRow(machine, place, context.baseUrl);
    switch (plan.do) {
      case 'report':
        if (plan.outcome.result === 'already') await removeSecondName(place);
        return plan.outcome;
      case 'place':
        await place.finish();
        return {result: 'activated', id: plan.id};
      case 'resume':
        return await resume(context, machine, place, plan.reservation);
      case 'activate':
        return await activate(context, machine, place);
    }
  } catch (error) {
    if (error instanceof AppError) return failed(error);
    throw error;
  } finally {
    place.close();
  }
}

async function planRow(machine: Machine, place: Place, baseUrl: string): Promise<Plan> {
  const {placed, pending} = await place.inspect();
  if (placed.kind !== 'absent') {
    const outcome = await alreadyThere(machine, place, baseUrl, placed);
    return {do: 'report', outcome};
  }
  switch (pending.kind) {
    case 'absent':
    case 'blank': {
      const refusal = await activatedOtherwise(machine, place, baseUrl);
      return refusal === undefined ? {do: 'activate'} : {do: 'report', outcome: failed(refusal)};
    }
    case 'encrypted':
      return {do: 'place', id: undefined};
    case 'credentials': {
      const refusal = belongsElsewhere(machine, pending.credentials, place.pending, baseUrl);
      if (refusal !== undefined) return {do: 'report', outcome: failed(refusal)};
      return {do: 'place', id: pending.credentials.connector_id ?? undefined};
    }
    case 'reservation':
      return planUnfinished(machine, place, baseUrl, pending.reservation);
    case 'other':
      return {
        do: 'report',
        outcome: failed(strangeAt(place.pending, pending, 'is not an unfinished activation')),
      };
  }
}

function planUnfinished(
  machine: Machine,
  place: Place,
  baseUrl: string,
  reservation: Reservation,
): Plan {
  const refusal = belongsElsewhere(machine, reservation, place.pending, baseUrl);
  if (refusal !== undefined) return {do: 'report', outcome: failed(refusal)};
  const {token, lost} = reservation;
  if (lost) return {do: 'report', outcome: uncertain(lostForGood(machine, place))};
  if (token !== undefined) return {do: 'resume', reservation: {...reservation, token}};
  const error = conflictAt(place.pending, 'is the unfinished activation of a single connector');
  return {do: 'report', outcome: uncertain(error)};
}

async function alreadyThere(
  machine: Machine,
  place: Place,
  baseUrl: string,
  placed: Awaited<ReturnType<Place['inspect']>>['placed'],
): Promise<RowOutcome> {
  if (placed.kind === 'encrypted' && machine.recipient !== undefined) {
    return {result: 'already'};
  }
  if (placed.kind !== 'credentials') {
    return failed(strangeAt(place.path, placed, 'exists and does not hold credentials'));
  }
  if (machine.recipient !== undefined) {
    return failed(conflictAt(place.path, 'holds credentials that are not encrypted'));
  }
  const refusal = belongsElsewhere(machine, placed.credentials, place.path, baseUrl);
  if (refusal !== undefined) return failed(refusal);
  return {result: 'already', id: placed.credentials.connector_id ?? undefined};
}

/** Why a machine has its credentials from a list with another column `recipient`, in a file of another name. */
async function activatedOtherwise(
  machine: Machine,
  place: Place,
  baseUrl: string,
): Promise<AppError | undefined> {
  const {path, content} = await place.inspectOther();
  if (content.kind === 'encrypted') {
    return machine.recipient === undefined
      ? conflictAt(path, 'holds its credentials, encrypted')
      : undefined;
  }
  if (content.kind !== 'credentials') return undefined;
  return belongsElsewhere(machine, content.credentials, path, baseUrl) === undefined
    ? conflictAt(path, 'holds its credentials, not encrypted')
    : undefined;
}

/** The last step of an activation gives the credentials a second name, and then removes the first. */
async function removeSecondName(place: WritablePlace): Promise<void> {
  const [path, pending] = await Promise.all([
    stat(place.path),
    stat(place.pending).catch(() => undefined),
  ]);
  if (pending !== undefined && pending.ino === path.ino && pending.dev === path.dev) {
    place.release();
  }
}

/** Credentials of another connector, or of another service, are not those of this row. */
function belongsElsewhere(
  {name}: Machine,
  found: Pick<Credentials, 'base_url' | 'name' | 'requested_name'>,
  path: string,
  baseUrl: string,
): AppError | undefined {
  if (found.base_url !== baseUrl && !isSameService(found.base_url, baseUrl)) {
    return conflictAt(path, `belongs to the service ${found.base_url}`);
  }
  if (name === found.name || name === found.requested_name) return undefined;
  return conflictAt(path, `belongs to the connector ${JSON.stringify(found.name)}`);
}

function conflictAt(path: string, what: string): AppError {
  return new AppError('usage', `${path} ${what}; nothing was sent.`);
}

/** @param found what is not expected there: it may only be unreadable for this user */
function strangeAt(
  path: string,
  found: {readonly kind: string; readonly unreadable?: string | undefined},
  what: string,
): AppError {
  const {unreadable} = found;
  return conflictAt(path, unreadable === undefined ? what : `cannot be read: ${unreadable}`);
}

function lostForGood({name}: Machine, {pending}: Place): AppError {
  return new AppError(
    'conflict',
    `The token of ${JSON.stringify(name)} is used and the response is lost: look for the connector with connectorctl connector list. To activate it anew, remove ${pending}`,
  );
}

/** Without a connector of its own so far: creates a token, and uses it. */
async function activate(
  context: RowContext,
  machine: Machine,
  place: WritablePlace,
): Promise<RowOutcome> {
  const {client, requests, baseUrl} = context;
  await requests.ready();
  await place.reserve();
  if (context.isStopped()) return {result: 'skipped'};
  let token: string;
  try {
    ({token} = await requests.send(() => client.createToken(), {repeatable: false}));
  } catch (error) {
    place.release();
    throw error;
  }
  if (context.isStopped()) {
    // An unused token expires by itself.
    place.release();
    return {result: 'skipped'};
  }
  const reservation = {
    base_url: baseUrl,
    name: machine.name,
    token_hash: hashSecret(token),
    idempotency_key: randomUUID(),
    token,
  };
  return redeem(context, machine, place, {reservation, isResumed: false});
}

async function resume(
  context: RowContext,
  machine: Machine,
  place: WritablePlace,
  reservation: TokenReservation,
): Promise<RowOutcome> {
  await context.requests.ready();
  await place.reserve();
  if (context.isStopped()) return {result: 'skipped'};
  return redeem(context, machine, place, {reservation, isResumed: true});
}

/** A new token is not used yet. @throws LocalFailure */
async function record(place: WritablePlace, {reservation, isResumed}: Redemption): Promise<void> {
  try {
    await place.record(reservation);
  } catch (error) {
    if (!isResumed) place.release();
    throw error;
  }
}

/** Uses a token, and saves the credentials. */
async function redeem(
  context: RowContext,
  machine: Machine,
  place: WritablePlace,
  attempt: Redemption,
): Promise<RowOutcome> {
  const {client, requests} = context;
  const {reservation} = attempt;
  const {token, name, idempotency_key: idempotencyKey} = reservation;
  await record(place, attempt);
  let reading: ActivationReading;
  try {
    const send = () => client.activateConnector({token, name, idempotencyKey});
    reading = await requests.send(send, {repeatable: true});
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return afterError(context, machine, place, {...attempt, error});
  }
  try {
    await place.commit(await contentFor(context, machine, reservation, reading));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A file of another program is in the place of this row alone.
    const isDirectoryLost = !hasCode(error.cause, 'EEXIST');
    return {...uncertain(error), id: reading.connector?.id, isDirectoryLost};
  }
  return {result: 'activated', id: reading.connector?.id};
}

/** Errors after which the connector may be activated: of a service at work, and for a response that cannot be read. */
const undecided: ReadonlySet<ErrorKind> = new Set(['remote', 'protocol']);

/** A failed activation whose request may have been carried out stays on disk, for the next run. */
async function afterError(
  context: RowContext,
  machine: Machine,
  place: WritablePlace,
  {error, reservation, isResumed}: Redemption & {readonly error: AppError},
): Promise<RowOutcome> {
  if (!isResumed && !error.outcomeUnknown && !undecided.has(error.kind)) {
    place.release();
    return failed(error);
  }
  if (error.kind !== 'conflict') return uncertain(error);
  if (isExpired(error) && (await isMissing(context.client, machine.name))) {
    place.release();
    return activate(context, machine, place);
  }
  // The response is permanently lost, and the token is used.
  const {token: _, ...rest} = reservation;
  await place.record({...rest, lost: true});
  return uncertain(lostForGood(machine, place));
}

function isExpired({reason, status}: AppError): boolean {
  return reason === 'activation-token-expired' || status === 410;
}

/** Whether the service has no connector of this name. False when it does not say. */
async function isMissing(client: RowContext['client'], name: string): Promise<boolean> {
  const wanted = comparable(name);
  try {
    for await (const connector of client.listConnectors()) {
      if (connector.name === undefined || comparable(connector.name) === wanted) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Services may change the case or the form of a name. */
const comparable = (name: string) => name.normalize('NFKC').trim().toLowerCase();

async function contentFor(
  {baseUrl, encrypt}: RowContext,
  {name, recipient}: Machine,
  reservation: Reservation,
  reading: ActivationReading,
): Promise<Buffer> {
  const given = reading.connector?.name ?? name;
  const credentials: Credentials = {
    base_url: baseUrl,
    connector_id: reading.connector?.id ?? null,
    name: given,
    ...(given !== name && {requested_name: name}),
    api_key: reading.credential?.value ?? null,
    response: reading.raw,
    token_hash: reservation.token_hash,
    activated_at: new Date().toISOString(),
  };
  const text = textOf(credentials);
  return Buffer.from(recipient === undefined ? text : await encrypt(text, recipient));
}

function failed(error: AppError): RowOutcome {
  return {result: 'failed', error};
}

function uncertain(error: AppError): RowOutcome {
  return {result: 'uncertain', error};
}
