// Lets oclif start for a user id that the system does not know, as in many containers. At start it asks the user
// database for the shell, and without HOME for the home directory; both fail there.
import * as real from '@oclif/core/lib/util/os.js';

export const {getPlatform} = real;

/** Not the directory for temporary files, as oclif would choose: that is not the user's own. */
const noHome = '/nonexistent';

export function getHomeDir(): string {
  try {
    return real.getHomeDir();
  } catch {
    return noHome;
  }
}

export async function getShell(): Promise<string> {
  return real.getShell().catch(() => 'unknown');
}
