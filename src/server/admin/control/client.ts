import {request} from 'node:http';
import {text} from 'node:stream/consumers';
import {AppError} from '../../../errors.js';
import {names} from '../../../store/json-file/files.js';
import {errorCode} from '../../../system/system-error.js';
import {type AdminMethod, adminMethods, type StoreAdmin} from '../types.js';
import {
  type ControlCall,
  type ControlReply,
  controlSocket,
  protocol,
  withSocketPath,
} from './protocol.js';

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
  const methods = adminMethods.map((method) => [
    method,
    (...args: unknown[]) => send(directory, method, args),
  ]);
  // Each end checks that the other has the same protocol, and so the same types.
  const admin: StoreAdmin = {...Object.fromEntries(methods), close: async () => undefined};
  try {
    await admin.list();
    return admin;
  } catch (error) {
    if (error instanceof NotListening) return undefined;
    throw error;
  }
}

async function send(directory: string, method: AdminMethod, args: unknown[]): Promise<unknown> {
  const call: ControlCall = {protocol, method, args};
  const response = await withSocketPath(directory, names.control, (socketPath) =>
    post(directory, socketPath, JSON.stringify(call)),
  );
  if (response === undefined) throw new NotListening(directory);
  const reply = readReply(response);
  if (reply?.protocol !== protocol) {
    throw new AppError(
      'unavailable',
      'The service that holds this store is another version of connectorctl than this command.',
      {reason: 'control-other-version'},
    );
  }
  if (reply.error === undefined) return reply.result;
  const {kind, message, ...rest} = reply.error;
  throw new AppError(kind, message, rest);
}

function readReply(response: string): ControlReply | undefined {
  try {
    return JSON.parse(response);
  } catch {
    return undefined;
  }
}

function post(directory: string, socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      method: 'POST',
      headers: {'content-type': 'application/json', 'content-length': Buffer.byteLength(body)},
      agent: false,
      signal: AbortSignal.timeout(callMilliseconds),
    });
    sent.on('error', (error) => reject(explain(error, directory)));
    sent.on('response', (response) => void text(response).then(resolve, reject));
    sent.end(body);
  });
}

function explain(cause: Error, directory: string): Error {
  const code = errorCode(cause);
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return new NotListening(directory);
  const place = controlSocket(directory);
  const message = `The service that holds this store does not respond (${place}).`;
  return new AppError('unavailable', message, {reason: 'control-unresponsive', cause});
}
