import {inDirectory, names} from '../../../store/json-file/layout.js';
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
