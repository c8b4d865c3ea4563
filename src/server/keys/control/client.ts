import {request} from 'node:http';
import {json} from 'node:stream/consumers';
import type * as z from 'zod/mini';
import {AppError} from '../../../errors.js';
import {errorCode} from '../../../system/error-codes.js';
import type {StoreAdmin} from '../types.js';
import {type ControlCall, ControlError, errorStatus, responses} from './protocol.js';
import {controlSocket, withControlSocket} from './socket.js';

/** Time limit of one call, in milliseconds. */
const callMilliseconds = 10_000;

/** No process listens on the socket: the service is still starting, or has stopped. */
class NotListening extends AppError {
  constructor(directory: string) {
    super('unavailable', `No service listens on ${controlSocket(directory)}.`, {
      reason: 'control-not-listening',
    });
  }
}

/** Reaches the service that holds the store in this directory; undefined when none listens. */
export async function connectControl(directory: string): Promise<StoreAdmin | undefined> {
  const admin: StoreAdmin = {
    create: (key) => send(directory, {call: 'create', key}, responses.create),
    list: () => send(directory, {call: 'list'}, responses.list),
    revoke: (id, reason) => send(directory, {call: 'revoke', id, reason}, responses.revoke),
    select: (query, place) => send(directory, {call: 'select', query, place}, responses.select),
    find: (ids) => send(directory, {call: 'find', ids: [...ids]}, responses.find),
    remove: (ids, silentFor) =>
      send(directory, {call: 'remove', ids: [...ids], silentFor}, responses.remove),
    reissue: (id, revokesNow) =>
      send(directory, {call: 'reissue', id, revokesNow}, responses.reissue),
    close: async () => undefined,
  };
  try {
    await admin.list();
    return admin;
  } catch (error) {
    if (error instanceof NotListening) return undefined;
    throw error;
  }
}

async function send<S extends z.ZodMiniType>(
  directory: string,
  call: ControlCall,
  schema: S,
): Promise<z.output<S>> {
  const response = await withControlSocket(directory, (socketPath) =>
    post(directory, socketPath, JSON.stringify(call)),
  );
  if (response === undefined) throw new NotListening(directory);
  const {status, body} = response;
  if (status !== errorStatus) return schema.parse(body);
  const {kind, message, ...rest} = ControlError.parse(body);
  throw new AppError(kind, message, rest);
}

function post(
  directory: string,
  socketPath: string,
  text: string,
): Promise<{status: number; body: unknown}> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      method: 'POST',
      headers: {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)},
      agent: false,
      signal: AbortSignal.timeout(callMilliseconds),
    });
    sent.on('error', (error) => reject(explain(error, directory)));
    sent.on('response', (response) => {
      json(response).then((body) => resolve({status: response.statusCode ?? 0, body}), reject);
    });
    sent.end(text);
  });
}

function explain(error: Error, directory: string): Error {
  const code = errorCode(error);
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return new NotListening(directory);
  const place = controlSocket(directory);
  return new AppError(
    'unavailable',
    `The service that holds this store does not respond (${place}).`,
    {
      reason: 'control-unresponsive',
      cause: error,
    },
  );
}
