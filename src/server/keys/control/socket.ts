import {nodeFiles} from '../../../store/json-file/files.js';
import {inDirectory, names} from '../../../store/json-file/format/layout.js';
import {withSocketPath} from '../../../store/json-file/lock/liveness-socket.js';

/** Where the socket of the service that holds this store is. */
export function controlSocket(directory: string): string {
  return inDirectory(directory, names.control);
}

/**
 * Calls `use` with a path by which the system reaches that socket, which may be another than its own;
 * undefined where there is none.
 */
export function withControlSocket<Result>(
  directory: string,
  use: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  return withSocketPath(nodeFiles, directory, names.control, use);
}
