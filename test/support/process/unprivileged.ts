/**
 * A command prefix that makes file permissions apply to root too. The user stays the same, so that the
 * command can still access the project.
 */
export const unprivileged: readonly string[] =
  process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : [];
