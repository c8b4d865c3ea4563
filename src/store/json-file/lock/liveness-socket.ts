import {once} from 'node:events';
import {connect, createServer, type Server} from 'node:net';
import process from 'node:process';
import {errorCode} from '../../../node-errors.js';
import {type Files, modes} from '../files.js';
import {inDirectory, longestSocketPath} from '../format/layout.js';

/**
 * Calls `use` with a path of a socket in a directory. Where the directory's own path is too long, Linux
 * can reach it by an open descriptor; elsewhere there is none.
 */
export async function withSocketPath<Result>(
  files: Files,
  directory: string,
  name: string,
  use: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  const path = inDirectory(directory, name);
  if (Buffer.byteLength(path) <= longestSocketPath) return use(path);
  if (process.platform !== 'linux') return undefined;
  const handle = await files.open(directory, 'r');
  try {
    return await use(`/proc/self/fd/${handle.fd}/${name}`);
  } finally {
    await handle.close();
  }
}

/**
 * A socket that shows that this process lives. The kernel closes it when the process ends, in
 * whatever way, and answers for it while the process is stopped; a process in another container
 * that shares the directory sees it too, which cannot be said of a pid.
 */
export class LivenessSocket {
  readonly #server: Server;
  readonly #path: string;
  readonly #files: Files;

  private constructor(files: Files, path: string, server: Server) {
    this.#files = files;
    this.#path = path;
    this.#server = server;
  }

  /** Listens on a socket of this name; undefined where the system or the file system has none. */
  static async show(
    files: Files,
    directory: string,
    name: string,
  ): Promise<LivenessSocket | undefined> {
    const server = createServer((socket) => socket.destroy());
    const path = inDirectory(directory, name);
    try {
      const listening = await withSocketPath(files, directory, name, async (socketPath) => {
        server.listen(socketPath);
        await once(server, 'listening');
        return true;
      });
      if (listening === undefined) return undefined;
      server.unref();
      await files.chmod(path, modes.file);
      return new LivenessSocket(files, path, server);
    } catch {
      server.close();
      return undefined;
    }
  }

  /** Whether the socket can still be found by its name. */
  async isThere(): Promise<boolean> {
    try {
      await this.#files.stat(this.#path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Ends the presence. */
  async end(): Promise<void> {
    this.#server.close();
    await this.#files.rm(this.#path, {force: true});
  }
}

/** Whether somebody listens on the socket of this name. */
export async function isPresent(files: Files, directory: string, name: string): Promise<boolean> {
  const response = await withSocketPath(files, directory, name, async (path) => {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      // Anything else, such as a full queue, is said by a socket that is open.
      return errorCode(error) !== 'ECONNREFUSED' && errorCode(error) !== 'ENOENT';
    } finally {
      socket.destroy();
    }
  });
  return response ?? true;
}
