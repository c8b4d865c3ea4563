// Lets oclif start for a user id that the system does not know, as in many containers. At start it asks the user
// database for the shell, and without HOME for the home directory; both fail there. It also reads six files to detect
// WSL, which changes nothing here.
import {platform} from 'node:os';
import * as real from '@oclif/core/lib/util/os.js';
import {homeDirectory} from '../../../src/system/user-directories.js';

export async function getPlatform(): Promise<string> {
  return platform();
}

export function getHomeDir(): string {
  return homeDirectory(process.env);
}

export async function getShell(): Promise<string> {
  return real.getShell().catch(() => 'unknown');
}
