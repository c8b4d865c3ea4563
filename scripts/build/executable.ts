import {join} from 'node:path';
import {root} from './root.js';

/** The major version of the Node that is in the executable: the newest with long-term support. */
export const executableNode = 26;

/** Where the executable and the licences of what is in it are built. */
export const executableDirectory = join(root, 'dist-executable');

/** The executable. */
export const executable = join(
  executableDirectory,
  process.platform === 'win32' ? 'connectorctl.exe' : 'connectorctl',
);
