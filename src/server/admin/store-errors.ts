import {AppError, type ErrorKind} from '../../errors.js';
import {StoreError} from '../../store/store.js';

const kinds: Readonly<Record<StoreError['kind'], ErrorKind>> = {
  full: 'unavailable',
  unavailable: 'unavailable',
  missing: 'not_found',
  damaged: 'unavailable',
  locked: 'unavailable',
  format: 'usage',
  forbidden: 'usage',
  exposed: 'usage',
  misconfigured: 'usage',
  closed: 'unavailable',
};

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
  return new AppError(kinds[error.kind], error.message, {
    reason: `store-${error.kind}`,
    hint: hintFor?.(error),
    cause: error,
  });
}
