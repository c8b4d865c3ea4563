import {getSystemErrorMap} from 'node:util';

/** The code of an error from Node or the operating system, such as `ENOENT`; undefined without one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The message of a thrown value, which need not be an `Error`. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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

/** The message of a csv-parse error without the value that the library appends, which may be the rest of the file. */
export function parserMessage(error: unknown): string {
  const [message = ''] = errorMessage(error).split(', value is ');
  return message;
}

/** Whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}

/** Remedies for a file that cannot be written, by system error code. */
const writeRemedies: Readonly<Record<string, string>> = {
  EACCES: 'Make the directory writable',
  EDQUOT: 'Free some space',
  EISDIR: 'Remove the directory',
  ENOENT: 'Create the directory',
  ENOSPC: 'Free some space',
  ENOTDIR: 'Create the directory',
  EPERM: 'Make the directory writable',
  EROFS: 'Make the directory writable',
};

/** The remedy for a file that cannot be written. @param choice the flag that names another file, such as `--report` */
export function writeHint(error: unknown, choice: string): string {
  const remedy = writeRemedies[errorCode(error) ?? ''];
  return remedy === undefined
    ? `Choose another path with ${choice}.`
    : `${remedy}, or choose another path with ${choice}.`;
}
