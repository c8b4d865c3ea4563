import {join} from 'node:path';

/** Where the reference service keeps its records unless told otherwise. @param dataDir the user's data directory */
export function defaultStore(dataDir: string): string {
  return join(dataDir, 'store');
}
