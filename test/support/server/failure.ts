import {AppError} from '../../../src/errors.js';

/** The `AppError` that an attempt rejects with; throws in any other case. */
export async function failureOf(attempt: Promise<unknown>): Promise<AppError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
