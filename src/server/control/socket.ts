import {chmod, lstat, rm} from 'node:fs/promises';
import {createServer, request} from 'node:http';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {jsonOrUndefined} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {names} from '../../store/json-file/directory.js';
import type {StoreLog} from '../../store/store.js';
import {errorCode} from '../../system/system-error.js';
import type {StoreAdmin} from '../admin/admin.js';
import {explainStoreError} from '../admin/store-errors.js';

// A running service holds its file store exclusively, yet its operator must be able to change keys
// and connectors at once. So it takes calls of `StoreAdmin` on a Unix socket that only the store's owner can reach.
// One call is one POST of a `ControlCall`, and its response a `ControlReply`.

/** The operations that a running service carries out for a command, over the socket of its store. */
const operatorMethods = [
  'create',
  'list',
  'revoke',
  'select',
  'find',
  'remove',
  'reissue',
  'unknown',
] as const satisfies readonly (keyof StoreAdmin)[];

interface ControlCall {
  readonly protocol: number;
  readonly method: (typeof operatorMethods)[number];
  readonly args: readonly unknown[];
}

/** The result of a call, or the parts of an `AppError` that the caller needs. */
interface ControlReply {
  readonly protocol: number;
  readonly result?: unknown;
  readonly error?: Pick<AppError, 'kind' | 'message' | 'reason' | 'details'>;
}

/**
 * Increased with every change of `StoreAdmin`: a command then reports a service of another version, and neither
 * misreads the other's messages.
 */
const protocol = 1;

/** Time limit of one call, in milliseconds. */
const callMilliseconds = 10_000;

/** Milliseconds that clients have to read a reply during a shutdown, before the service cuts all connections. */
const cutMilliseconds = 500;

/** Longest socket path that every system accepts, in bytes: macOS allows 104 with the final NUL. */
const longestSocketPath = 103;

const notListening = 'control-not-listening';

/**
 * Takes an operator's calls on a socket in the store's directory. Replaces a socket that a killed service left: only
 * the process that holds the store may have one there.
 *
 * @returns undefined if the path is too long for a socket
 * @throws AppError `usage` when something other than a socket has this path
 */
export async function serveControl(
  directory: string,
  admin: StoreAdmin,
  log: StoreLog,
): Promise<{close(): Promise<void>} | undefined> {
  const socket = join(directory, names.control);
  if (Buffer.byteLength(socket) > longestSocketPath) {
    const message =
      'no control socket: the path of the store is too long; stop the service to change its keys or connectors';
    log.warn({store: directory}, message);
    return undefined;
  }
  const found = await lstat(socket).catch(() => undefined);
  if (found?.isSocket() === false) {
    throw new AppError('usage', `${socket} is not a socket: move it away.`);
  }
  await rm(socket, {force: true});
  const running = new Set<Promise<unknown>>();
  const server = createServer(async (call, response) => {
    const sent = await text(call).catch(() => undefined);
    if (sent === undefined) return;
    const reply = carryOut(admin, sent);
    running.add(reply);
    response.end(JSON.stringify(await reply));
    running.delete(reply);
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(socket, resolve);
  });
  // Before this, the mode of the directory keeps other users out.
  await chmod(socket, 0o600);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all(running);
      const cut = setTimeout(() => server.closeAllConnections(), cutMilliseconds);
      await closed;
      clearTimeout(cut);
      await rm(socket, {force: true});
    },
  };
}

async function carryOut(admin: StoreAdmin, sent: string): Promise<ControlReply> {
  try {
    const {protocol: other, method, args}: ControlCall = JSON.parse(sent);
    // The protocol in the reply shows the caller that the versions differ.
    if (other !== protocol || !operatorMethods.includes(method)) return {protocol};
    return {protocol, result: await Reflect.apply(admin[method], admin, args)};
  } catch (cause) {
    const explained = explainStoreError(cause);
    const error =
      explained instanceof AppError
        ? explained
        : new AppError('internal', String(explained), {reason: 'control-internal'});
    const {kind, message, reason, details} = error;
    return {protocol, error: {kind, message, reason, details}};
  }
}

/** Connects to the service that holds the store in this directory; undefined when no service listens. */
export async function connectControl(directory: string): Promise<StoreAdmin | undefined> {
  const calls = operatorMethods.map((method) => [
    method,
    (...args: unknown[]) => call(directory, {protocol, method, args}),
  ]);
  // Each end checks the other's protocol, and equal protocols have equal types.
  const admin: StoreAdmin = Object.fromEntries(calls);
  try {
    await admin.list();
    return admin;
  } catch (error) {
    if (error instanceof AppError && error.reason === notListening) return undefined;
    throw error;
  }
}

async function call(directory: string, sent: ControlCall): Promise<unknown> {
  const response = await post(join(directory, names.control), JSON.stringify(sent));
  const reply = jsonOrUndefined(response) as ControlReply | undefined;
  if (reply?.protocol !== protocol) {
    const message = 'The service that holds this store runs another version of connectorctl.';
    throw new AppError('unavailable', message, {reason: 'control-other-version'});
  }
  if (reply.error === undefined) return reply.result;
  const {kind, message, ...rest} = reply.error;
  throw new AppError(kind, message, rest);
}

function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(callMilliseconds);
    const sent = request({socketPath, method: 'POST', agent: false, signal});
    const failed = (cause: unknown) => {
      const isThere = !['ECONNREFUSED', 'ENOENT', 'EINVAL'].includes(errorCode(cause) ?? '');
      const message = isThere ? 'does not respond' : 'does not listen';
      reject(
        new AppError('unavailable', `The service of this store ${message} (${socketPath}).`, {
          reason: isThere ? 'control-unresponsive' : notListening,
          cause,
        }),
      );
    };
    sent.on('error', failed);
    sent.on('response', (response) => void text(response).then(resolve, failed));
    sent.end(body);
  });
}
