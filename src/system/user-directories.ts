import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';

/** The purpose of a user's directory. */
type Purpose = 'config' | 'data';

/** A directory of this program at a default path. */
export interface UserDirectory {
  readonly path: string;
  /** The part of `path` that comes from the environment or the user database. */
  readonly base: string;
}

/** A path that by convention does not exist, for a user without a home directory. */
const noHome = '/nonexistent';

const belowHome = {
  config: ['.config'],
  data: ['.local', 'share'],
} as const satisfies Record<Purpose, readonly string[]>;

/**
 * The home directory: HOME, or the user database if HOME is unset, empty or relative. Never the directory
 * for temporary files, where others can write.
 */
export function homeDirectory({HOME: home = ''}: NodeJS.ProcessEnv): string {
  if (isAbsolute(home)) return home;
  try {
    const {homedir} = userInfo();
    return isAbsolute(homedir) ? homedir : noHome;
  } catch {
    // The system does not know this user id, as in many containers.
    return noHome;
  }
}

/** A directory of this user; it need not exist. Ignores relative paths (XDG Base Directory Specification). */
export function userDirectory(purpose: Purpose, env: NodeJS.ProcessEnv): UserDirectory {
  const chosen = env[`XDG_${purpose.toUpperCase()}_HOME`] ?? '';
  if (isAbsolute(chosen)) return {base: chosen, path: join(chosen, 'connectorctl')};
  const base = homeDirectory(env);
  return {base, path: join(base, ...belowHome[purpose], 'connectorctl')};
}
