/**
 * What to put before a command so that the modes of files bind it: for a superuser they do not. It stays
 * the same user, so that it still gets to where the project lies.
 */
export const unprivileged: readonly string[] =
  process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : [];
