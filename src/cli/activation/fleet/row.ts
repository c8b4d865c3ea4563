import {randomUUID} from 'node:crypto';
import {isSameService} from '../../../client/settings.js';
import type {Client} from '../../../client/types.js';
import {hashSecret} from '../../../domain/secret.js';
import {AppError} from '../../../errors.js';
import type {ActivationResult} from '../../../render/formats/activations.js';
import {hasCode} from '../../errors/system-error.js';
import {
  type Content,
  type Credentials,
  credentialsOf,
  type Reservation,
  textOf,
  type UsableReservation,
} from '../credentials.js';
import type {Found, Place} from '../place.js';
import {type Attempt, keepOutcome, redeem} from '../redeem.js';
import type {Machine} from './machine-list.js';
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
}

/** What a row is about to do, by what is in the directory. */
type Plan =
  | {readonly do: 'report'; readonly outcome: RowOutcome}
  | {readonly do: 'place'; readonly saved: Pick<RowOutcome, 'hasKey' | 'id'>}
  | {readonly do: 'resume'; readonly reservation: UsableReservation}
  | {readonly do: 'activate'};

/** Says what would become of a row, without changing or sending anything. */
export async function previewRow(
  machine: Machine,
  place: Place,
  baseUrl: string,
): Promise<RowOutcome> {
  const plan = await planRow(machine, place, await place.inspect(), baseUrl);
  return plan.do === 'report' ? plan.outcome : {result: 'planned'};
}

/**
 * Activates the connector of one row, or finishes what an earlier run began.
 *
 * @throws CannotReserve when the directory cannot be written, and LockLostError
 */
export async function activateRow(
  context: RowContext,
  machine: Machine,
  place: Place,
): Promise<RowOutcome> {
  try {
    const plan = await planRow(machine, place, await place.recover(), context.baseUrl);
    switch (plan.do) {
      case 'report':
        return plan.outcome;
      case 'place':
        await place.finish(false);
        return {result: 'activated', ...plan.saved};
      case 'resume':
        return await resume(context, machine, place, plan.reservation);
      case 'activate':
        return await activate(context, machine, place);
    }
  } catch (error) {
    if (error instanceof AppError) return failed(error);
    throw error;
  } finally {
    await place.leave();
  }
}

async function planRow(
  machine: Machine,
  place: Place,
  {placed, pending}: Found,
  baseUrl: string,
): Promise<Plan> {
  if (placed.kind !== 'absent') {
    return {do: 'report', outcome: alreadyThere(machine, place, baseUrl, placed)};
  }
  switch (pending.kind) {
    case 'absent':
    case 'partial':
      return {do: 'activate'};
    case 'credentials': {
      const refusal = belongsElsewhere(machine, pending.credentials, place.pending, baseUrl);
      if (refusal !== undefined) return {do: 'report', outcome: failed(refusal)};
      return {do: 'place', saved: savedIn(pending.credentials)};
    }
    case 'reservation':
      return planUnfinished(machine, place, baseUrl, pending.reservation);
    case 'other':
      return {do: 'report', outcome: failed(conflictAt(place.pending, 'holds no activation'))};
    case 'unusable':
      return {do: 'report', outcome: failed(unusable(place.pending, pending.reason))};
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
  if (lost) return {do: 'report', outcome: uncertain(lostForGood(machine, place, reservation))};
  if (token !== undefined) return {do: 'resume', reservation: {...reservation, token}};
  const error = conflictAt(place.pending, 'is the unfinished activation of a single connector');
  return {do: 'report', outcome: uncertain(error)};
}

function alreadyThere(
  machine: Machine,
  place: Place,
  baseUrl: string,
  placed: Content,
): RowOutcome {
  if (placed.kind === 'unusable') return failed(unusable(place.path, placed.reason));
  if (placed.kind !== 'credentials') {
    return failed(conflictAt(place.path, 'exists and does not hold credentials'));
  }
  const refusal = belongsElsewhere(machine, placed.credentials, place.path, baseUrl);
  if (refusal !== undefined) return failed(refusal);
  return {result: 'already', ...savedIn(placed.credentials)};
}

/** Credentials of another connector, or of another service, are not those of this row. */
function belongsElsewhere(
  {name}: Machine,
  found: Pick<Credentials, 'base_url' | 'name' | 'requested_name'>,
  path: string,
  baseUrl: string,
): AppError | undefined {
  if (!isSameService(found.base_url, baseUrl)) {
    return conflictAt(path, `belongs to the service ${found.base_url}`);
  }
  if (name === found.name || name === found.requested_name) return undefined;
  return conflictAt(path, `belongs to the connector ${JSON.stringify(found.name)}`);
}

/** What a result says about a complete credentials file. */
function savedIn({connector_id: id, api_key: key}: Credentials): Pick<RowOutcome, 'hasKey' | 'id'> {
  return {id: id ?? undefined, hasKey: key !== null};
}

function conflictAt(path: string, what: string): AppError {
  return new AppError('usage', `${path} ${what}; nothing was sent.`);
}

function unusable(path: string, reason: string): AppError {
  return conflictAt(path, `cannot be read: ${reason}`);
}

function lostForGood(
  {name}: Machine,
  {pending}: Place,
  {unreadable_response: unreadable}: Reservation,
): AppError {
  const response =
    unreadable === undefined ? ' is lost' : `, which cannot be read, is in ${pending}`;
  return new AppError(
    'conflict',
    `The token of ${JSON.stringify(name)} is used and the response${response}: look for the connector with connectorctl connector list. To activate it again, remove ${pending}`,
  );
}

/** Creates a token, and uses it. */
async function activate(context: RowContext, machine: Machine, place: Place): Promise<RowOutcome> {
  const {client, requests, baseUrl} = context;
  await requests.ready();
  await place.reserve();
  if (context.isStopped()) return {result: 'skipped'};
  const create = async () => {
    await place.requireHeld();
    return client.createToken();
  };
  const {token} = await requests.send(create, {repeatable: false});
  // An unused token expires by itself.
  if (context.isStopped()) return {result: 'skipped'};
  const reservation = {
    base_url: baseUrl,
    name: machine.name,
    token_hash: hashSecret(token),
    idempotency_key: randomUUID(),
    token,
  };
  return use(context, machine, place, {reservation, isResumed: false});
}

async function resume(
  context: RowContext,
  machine: Machine,
  place: Place,
  reservation: UsableReservation,
): Promise<RowOutcome> {
  await context.requests.ready();
  await place.reserve();
  if (context.isStopped()) return {result: 'skipped'};
  return use(context, machine, place, {reservation, isResumed: true});
}

async function use(
  context: RowContext,
  machine: Machine,
  place: Place,
  {reservation, isResumed}: Pick<Attempt, 'isResumed' | 'reservation'>,
): Promise<RowOutcome> {
  const {client, requests} = context;
  const {token, name, idempotency_key: idempotencyKey} = reservation;
  const outcome = await redeem(place, {
    reservation,
    isResumed,
    replaces: false,
    send: (options) =>
      requests.send(() => client.activateConnector({token, name, idempotencyKey}, options), {
        repeatable: true,
      }),
    contentOf: async (reading) =>
      Buffer.from(textOf(credentialsOf(reading, reservation, new Date()))),
  });
  switch (outcome.result) {
    case 'saved':
      return {
        result: 'activated',
        id: outcome.reading.connector?.id,
        hasKey: outcome.reading.credential !== undefined,
      };
    case 'unsaved': {
      const {reading, error} = outcome;
      // A file of another program is in the place of this row alone.
      const isDirectoryLost = !hasCode(error.cause, 'EEXIST');
      return {...uncertain(error), id: reading.connector?.id, isDirectoryLost};
    }
    case 'refused':
      return failed(outcome.error);
    case 'unknown':
      return outcome.error.kind === 'conflict'
        ? afterConflict(context, machine, place, outcome)
        : uncertain(await keepOutcome(place, outcome.error, outcome.reservation));
  }
}

/** The token can no longer be used: it was, or it has expired. */
async function afterConflict(
  context: RowContext,
  machine: Machine,
  place: Place,
  {error, reservation}: {readonly error: AppError; readonly reservation: UsableReservation},
): Promise<RowOutcome> {
  if (isExpired(error) && (await isMissing(context.client, machine.name))) {
    await place.release();
    return activate(context, machine, place);
  }
  // The response is permanently lost, and the token is used.
  const {token: _, ...rest} = reservation;
  await place.amend({...rest, lost: true});
  return uncertain(lostForGood(machine, place, rest));
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

function failed(error: AppError): RowOutcome {
  return {result: 'failed', error};
}

function uncertain(error: AppError): RowOutcome {
  return {result: 'uncertain', error};
}
