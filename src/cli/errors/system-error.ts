import {getSystemErrorMap} from 'node:util';
import {errorCode, errorMessage} from '../../system/error-codes.js';

/**
 * The reason of a system error as a phrase: `permission denied (EACCES)`. Node's own message also names
 * the path and the system call, which do not help the user who gave the path.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('errno' in error) || typeof error.errno !== 'number') return error.message;
  const [code, text] = getSystemErrorMap().get(error.errno) ?? [];
  return code === undefined ? error.message : `${text} (${code})`;
}

/** The message of a parser without the value that csv-parse appends, which may be the rest of the file. */
export function parserMessage(error: unknown): string {
  const [message = ''] = errorMessage(error).split(', value is ');
  return message;
}

/** Whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}
