import {inDirectory, names} from '../../../store/json-file/format/layout.js';
import {nodeFiles} from '../../../system/files.js';
import {withSocketPath} from '../../../system/socket-path.js';

/** Path of the socket of the service that holds this store. */
export function controlSocket(directory: string): string {
  return inDirectory(directory, names.control);
}

/**
 * Calls `use` with a path that is short enough for a socket, which may be an alias of its real path;
 * undefined where the system has no such path.
 */
export function withControlSocket<Result>(
  directory: string,
  use: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  return withSocketPath(nodeFiles, directory, names.control, use);
}
