import type {ProblemCode} from '../../contract/index.js';
import {AppError, type ErrorKind} from '../../errors.js';
import {StoreError, type StoreErrorKind} from '../../store/store.js';

/** The kind of `AppError` for the operator of a store, and the problem for a caller, of each kind of store error. */
export const meanings = {
  full: ['unavailable', 'store_full'],
  unavailable: ['unavailable', 'store_unavailable'],
  missing: ['not_found', 'store_unavailable'],
  damaged: ['unavailable', 'store_unavailable'],
  locked: ['unavailable', 'store_unavailable'],
  format: ['usage', 'store_unavailable'],
  forbidden: ['usage', 'store_unavailable'],
  exposed: ['usage', 'store_unavailable'],
  misconfigured: ['usage', 'store_unavailable'],
  closed: ['unavailable', 'stopping'],
} as const satisfies Record<StoreErrorKind, readonly [ErrorKind, ProblemCode]>;

/**
 * A store's error as an `AppError` with the reason `store-KIND`; any other error unchanged.
 *
 * @param hintFor the hint, when the caller knows a better next step than that of the reason
 */
export function explainStoreError(
  error: unknown,
  hintFor?: (error: StoreError) => string | undefined,
): unknown {
  if (!(error instanceof StoreError)) return error;
  const [kind] = meanings[error.kind];
  return new AppError(kind, error.message, {
    reason: `store-${error.kind}`,
    hint: hintFor?.(error),
    cause: error,
  });
}
