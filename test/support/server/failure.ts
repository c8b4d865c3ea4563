import {AppError} from '../../../src/errors.js';

/** The error that a person would be shown; anything else that happens is thrown. */
export async function failureOf(attempt: Promise<unknown>): Promise<AppError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
