import {join} from 'node:path';
import {root} from './root.js';

/** Major version of the Node in the executable: the newest with long-term support. */
export const executableNode = 26;

/** The directory of the executable and of the licenses of its content. */
export const executableDirectory = join(root, 'dist-executable');

/** The executable. */
export const executable = join(executableDirectory, 'connectorctl');
