import {chmod, mkdtemp, readFile, realpath, rm, rmdir, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';

const files = {socket: 'control.sock', elsewhere: 'control.path'} as const;

/** Longest path of a socket that every system takes, in bytes: macOS has room for 104 with the final NUL. */
const longestSocketPath = 103;

/** Where the socket of the service on this store is to be found; undefined when there is none. */
export async function findSocket(folder: string): Promise<string | undefined> {
  try {
    return await readFile(path.join(folder, files.elsewhere), 'utf8');
  } catch {
    return socketInside(folder).catch(() => undefined);
  }
}

/**
 * Makes the place for the socket of the service that holds this store. What a killed one left is
 * removed: whoever holds the store is the only one who may have a socket there. The socket lies in
 * the store's folder, or where its path would be too long for a socket, in a private temporary
 * folder that a file in the store names.
 */
export async function prepareSocket(folder: string): Promise<string> {
  await removeSocket(folder);
  const inside = await socketInside(folder);
  if (inside !== undefined) return inside;
  const elsewhere = path.join(await mkdtemp(path.join(tmpdir(), 'connectorctl-')), files.socket);
  await writeFile(path.join(folder, files.elsewhere), elsewhere, {mode: 0o600});
  return elsewhere;
}

/** Keeps the socket to its owner. */
export function closeToOthers(socket: string): Promise<void> {
  return chmod(socket, 0o600);
}

/** Removes the socket and what was made for it. */
export async function removeSocket(folder: string): Promise<void> {
  const socket = await findSocket(folder);
  if (socket === undefined) return;
  await rm(socket, {force: true});
  if (path.dirname(socket) === (await realpath(folder))) return;
  await rm(path.join(folder, files.elsewhere), {force: true});
  await rmdir(path.dirname(socket)).catch(() => undefined);
}

async function socketInside(folder: string): Promise<string | undefined> {
  // One folder has one path here, whichever way it was named.
  const socket = path.join(await realpath(folder), files.socket);
  return Buffer.byteLength(socket) > longestSocketPath ? undefined : socket;
}
