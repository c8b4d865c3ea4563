import type {ActivationReading} from '../../client/types.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {UsableReservation} from './credentials.js';
import type {Place} from './place.js';

/** The use of a token. */
export interface Attempt {
  readonly reservation: UsableReservation;
  /** Whether an earlier run may have used it. */
  readonly isResumed: boolean;
  /** Whether the credentials may replace an existing file. */
  readonly replaces: boolean;
  /** Sends the activation. */
  readonly send: () => Promise<ActivationReading>;
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
  /** The connector may be activated; another run can finish it. */
  | {readonly result: 'unknown'; readonly error: AppError};

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
  try {
    reading = await send();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (isResumed || error.outcomeUnknown || undecided.has(error.kind)) {
      return {result: 'unknown', error};
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
