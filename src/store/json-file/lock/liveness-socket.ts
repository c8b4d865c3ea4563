import {once} from 'node:events';
import {connect, createServer, type Server} from 'node:net';
import process from 'node:process';
import {errorCode} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import {modes} from '../files.js';
import {inDirectory, longestSocketPath} from '../format/layout.js';

/**
 * Calls `use` with the path of a socket in a directory. If that is too long for a socket, Linux can use
 * an open descriptor of the directory instead; other systems get undefined.
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
 * A socket that shows that this process is running. The kernel closes it when the process ends in any
 * way, and accepts connections while the process is stopped. Unlike a pid, it works for processes in
 * other containers that share the directory.
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

  /** Listens on a socket of this name; undefined where the file system has no sockets. */
  static async listen(
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

  /** Whether the socket file still exists. */
  async exists(): Promise<boolean> {
    try {
      await this.#files.stat(this.#path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    await this.#files.rm(this.#path, {force: true});
  }
}

/** Whether a process listens on the socket of this name. Where that cannot be tested: true. */
export async function isListening(files: Files, directory: string, name: string): Promise<boolean> {
  const listening = await withSocketPath(files, directory, name, async (path) => {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      // Any other error, such as that of a full queue, comes from an open socket.
      return errorCode(error) !== 'ECONNREFUSED' && errorCode(error) !== 'ENOENT';
    } finally {
      socket.destroy();
    }
  });
  return listening ?? true;
}
