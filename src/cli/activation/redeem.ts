import type {ActivateOptions, ActivationReading} from '../../client/types.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {Reservation, UsableReservation} from './credentials.js';
import type {Place} from './place.js';

/** The use of a token. */
export interface Attempt {
  readonly reservation: UsableReservation;
  /** Whether an earlier run may have used it. */
  readonly isResumed: boolean;
  /** Whether the credentials may replace an existing file. */
  readonly replaces: boolean;
  /** Sends the activation. @param options what to do with a response that cannot be read */
  readonly send: (options: Pick<ActivateOptions, 'onUnreadable'>) => Promise<ActivationReading>;
  /** The content of the credentials file. */
  readonly contentOf: (reading: ActivationReading) => Promise<Uint8Array>;
}

/** The outcome of the use of a token. */
export type Outcome =
  | {readonly result: 'saved'; readonly reading: ActivationReading}
  /** The connector is activated, and its credentials are not at their path. */
  | {readonly result: 'unsaved'; readonly reading: ActivationReading; readonly error: AppError}
  /** The connector is not activated. */
  | {readonly result: 'refused'; readonly error: AppError}
  /** The connector may be activated; another run can finish it. The reservation has what arrived of a response. */
  | {
      readonly result: 'unknown';
      readonly error: AppError;
      readonly reservation: UsableReservation;
    };

/** Errors of a service at work, and for a response that cannot be read: the connector may be activated. */
const undecided: ReadonlySet<ErrorKind> = new Set(['remote', 'protocol']);

/**
 * Uses a token, and saves the credentials: first what another run would need, then the request, then the file.
 * The place must be reserved.
 *
 * @throws CannotReserve before anything was sent, and LockLostError
 */
export async function redeem(place: Place, attempt: Attempt): Promise<Outcome> {
  const {reservation, isResumed, replaces, send, contentOf} = attempt;
  await (isResumed ? place.keepRecord() : place.record(reservation));
  await place.requireHeld();
  let reading: ActivationReading;
  let unreadable = reservation.unreadable_response ?? '';
  // Of several the longest one: they are parts of one response.
  const onUnreadable = (text: string) => {
    if (text.length > unreadable.length) unreadable = text;
  };
  try {
    reading = await send({onUnreadable});
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isLost = error.outcomeUnknown || undecided.has(error.kind);
    if (isResumed || isLost) {
      const lost = isLost && {response_lost: true as const};
      const arrived = unreadable !== '' && {unreadable_response: unreadable};
      return {result: 'unknown', error, reservation: {...reservation, ...lost, ...arrived}};
    }
    await place.release();
    return {result: 'refused', error};
  }
  try {
    await place.commit(await contentOf(reading), replaces);
    return {result: 'saved', reading};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {result: 'unsaved', reading, error};
  }
}

/**
 * Saves that a response was lost, and what arrived of one that cannot be read, beside what another run needs.
 *
 * @returns the error, which says where the unreadable response is
 * @throws LockLostError
 */
export async function keepOutcome(
  place: Place,
  error: AppError,
  reservation: Reservation,
): Promise<AppError> {
  const {response_lost: isLost, unreadable_response: unreadable} = reservation;
  if (!isLost && unreadable === undefined) return error;
  try {
    await place.amend(reservation);
  } catch (failure) {
    // The reservation is still there, and another run asks for the response again.
    if (failure instanceof AppError) return error;
    throw failure;
  }
  if (unreadable === undefined) return error;
  const message = `${error.message.replace(/\.$/, '')}; what arrived is in ${place.pending}.`;
  return new AppError(error.kind, message, {...error, cause: error.cause});
}
