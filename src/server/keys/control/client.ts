import {request} from 'node:http';
import {json} from 'node:stream/consumers';
import type * as z from 'zod/mini';
import {AppError} from '../../../errors.js';
import {errorCode} from '../../../node-errors.js';
import type {Keyring} from '../keyring.js';
import {answers, type ControlCall, ControlError, failureStatus} from './protocol.js';
import {controlSocket, withControlSocket} from './socket.js';

/** Longest time that one call may take, in milliseconds. */
const callMilliseconds = 10_000;

/** Nobody listens on the socket: the service is not up yet, or has ended. */
class NobodyThere extends AppError {
  constructor(folder: string) {
    super('unavailable', `Nobody listens on ${controlSocket(folder)}.`, {
      hint: 'Run the command again.',
    });
  }
}

/** The keyring of the service that holds the store in this folder; undefined when none answers there. */
export async function connectControl(folder: string): Promise<Keyring | undefined> {
  const keyring: Keyring = {
    create: (key) => send(folder, {call: 'create', key}, answers.create),
    list: () => send(folder, {call: 'list'}, answers.list),
    revoke: (id, reason = null) => send(folder, {call: 'revoke', id, reason}, answers.revoke),
    close: async () => undefined,
  };
  try {
    await keyring.list();
    return keyring;
  } catch (error) {
    if (error instanceof NobodyThere) return undefined;
    throw error;
  }
}

async function send<S extends z.ZodMiniType>(
  folder: string,
  call: ControlCall,
  schema: S,
): Promise<z.output<S>> {
  const answer = await withControlSocket(folder, (socketPath) =>
    post(folder, socketPath, JSON.stringify(call)),
  );
  if (answer === undefined) throw new NobodyThere(folder);
  const {status, body} = answer;
  if (status !== failureStatus) return schema.parse(body);
  const {kind, message, hint} = ControlError.parse(body);
  throw new AppError(kind, message, {hint});
}

function post(
  folder: string,
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
    sent.on('error', (error) => reject(explain(error, folder)));
    sent.on('response', (response) => {
      json(response).then((body) => resolve({status: response.statusCode ?? 0, body}), reject);
    });
    sent.end(text);
  });
}

function explain(error: Error, folder: string): Error {
  const code = errorCode(error);
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return new NobodyThere(folder);
  const place = controlSocket(folder);
  return new AppError('unavailable', `The service on this store does not answer (${place}).`, {
    hint: 'Try again, or stop that service and run the command again.',
    cause: error,
  });
}
