import {open} from 'node:fs/promises';
import process from 'node:process';
import {inDirectory, names} from '../../../store/json-file/files.js';
import type {AdminMethod} from '../types.js';

/**
 * A running service holds its file store exclusively, yet its operator must be able to change keys
 * and connectors at once. So it takes calls of `StoreAdmin` on a Unix socket that only the store's owner can reach.
 * One call is one POST of a `ControlCall`, and its response a `ControlReply`.
 */
export interface ControlCall {
  readonly protocol: number;
  readonly method: AdminMethod;
  readonly args: readonly unknown[];
}

/** The result of a call, or the parts of an `AppError` that the caller needs. */
export interface ControlReply {
  readonly protocol: number;
  readonly result?: unknown;
  readonly error?: {
    readonly kind: 'usage' | 'not_found' | 'unavailable' | 'internal';
    readonly message: string;
    readonly reason?: string | undefined;
    readonly details?: Readonly<Record<string, string>>;
  };
}

/**
 * Raised with every change of `StoreAdmin`: a command and a service that differ in it only say so, and no call can mean
 * something else to one of them.
 */
export const protocol = 1;

/** Path of the socket of the service that holds this store. */
export function controlSocket(directory: string): string {
  return inDirectory(directory, names.control);
}

/** Longest socket path that every system accepts, in bytes: macOS allows 104 with the final NUL. */
const longestSocketPath = 103;

/**
 * Calls `use` with a path to a file in a store's directory. If that is too long for a socket, Linux can use
 * an open descriptor of the directory instead; other systems get undefined.
 */
export async function withSocketPath<Result>(
  directory: string,
  name: string,
  use: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  const path = inDirectory(directory, name);
  if (Buffer.byteLength(path) <= longestSocketPath) return use(path);
  if (process.platform !== 'linux') return undefined;
  const handle = await open(directory, 'r');
  try {
    return await use(`/proc/self/fd/${handle.fd}/${name}`);
  } finally {
    await handle.close();
  }
}
