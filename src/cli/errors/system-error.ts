import {getSystemErrorMap} from 'node:util';
import {errorCode} from '../../node-errors.js';

/**
 * Why the operating system refused something, as a phrase: `permission denied (EACCES)`. Node's own
 * message repeats the path and the system call, which say nothing to the person who named the path.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('errno' in error) || typeof error.errno !== 'number') return error.message;
  const [code, text] = getSystemErrorMap().get(error.errno) ?? [];
  return code === undefined ? error.message : `${text} (${code})`;
}

/** Whether an error has one of the codes of the operating system, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}
