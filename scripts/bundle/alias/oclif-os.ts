// Lets oclif start for a user id that the system does not know, as in many containers. At start it asks the user
// database for the shell, and without HOME for the home directory; both fail there.
import * as real from '@oclif/core/lib/util/os.js';
import {homeDirectory} from '../../../src/system/user-directories.js';

export const {getPlatform} = real;

export function getHomeDir(): string {
  return homeDirectory(process.env);
}

export async function getShell(): Promise<string> {
  return real.getShell().catch(() => 'unknown');
}
