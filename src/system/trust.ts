import type {Stats} from 'node:fs';

/** Mode bits: what others than the owner may do with a file. */
export const othersAccess = {none: 0, writeByAll: 0o002, write: 0o022, any: 0o077} as const;

/**
 * The rule for files and directories that nobody names on the command line: they belong to this user or to root, and
 * not everyone can write to them. A group is trusted like the owner: volumes of containers often belong to one.
 *
 * @param forbidden mode bits that nobody may have
 * @returns what is wrong, as a phrase; undefined for a trusted one
 */
export function distrust(
  {uid, mode}: Pick<Stats, 'mode' | 'uid'>,
  forbidden: number = othersAccess.writeByAll,
): string | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== 0) return `it belongs to another user (uid ${uid})`;
  const excess = mode & forbidden;
  if (excess === 0) return undefined;
  const can = (excess & othersAccess.write) === 0 ? 'read' : 'write to';
  return `other users can ${can} it (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
}
