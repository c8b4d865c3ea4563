import {chmod, lstat, rm} from 'node:fs/promises';
import Fastify, {type FastifyInstance} from 'fastify';
import {AppError} from '../../../errors.js';
import {names} from '../../../store/json-file/files.js';
import {adminMethods, type StoreAdmin} from '../types.js';
import {
  type ControlCall,
  type ControlReply,
  controlSocket,
  protocol,
  withSocketPath,
} from './protocol.js';

/**
 * Takes an operator's calls on a socket in the store's directory. It replaces the socket of a killed
 * service: only the process that holds the store has one there.
 *
 * @returns undefined if the path is too long for a socket
 * @throws AppError `usage` when there is something else at its path
 */
export async function serveControl(
  directory: string,
  admin: StoreAdmin,
): Promise<{close(): Promise<void>} | undefined> {
  const app = buildControl(admin);
  const socket = controlSocket(directory);
  const found = await lstat(socket).catch(() => undefined);
  if (found?.isSocket() === false) {
    throw new AppError('usage', `${socket} is not a socket: move it away.`);
  }
  await rm(socket, {force: true});
  const listen = (path: string) => app.listen({path});
  const address = await withSocketPath(directory, names.control, listen);
  if (address === undefined) return undefined;
  // Until here, the directory keeps other users out.
  await chmod(socket, 0o600);
  return {
    async close() {
      await app.close();
      await rm(socket, {force: true});
    },
  };
}

function buildControl(admin: StoreAdmin): FastifyInstance {
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => reply.send({protocol, error: describe(error)}));
  app.post<{Body: ControlCall}>('/', async ({body}): Promise<ControlReply> => {
    // The caller sees by the protocol of the response that it is another version.
    if (body.protocol !== protocol || !adminMethods.includes(body.method)) return {protocol};
    return {protocol, result: await Reflect.apply(admin[body.method], admin, body.args)};
  });
  return app;
}

function describe(error: unknown): ControlReply['error'] {
  if (!(error instanceof AppError)) {
    return {kind: 'internal', message: String(error), reason: 'control-internal'};
  }
  const {kind, message, reason, details} = error;
  const known = kind === 'usage' || kind === 'not_found' || kind === 'unavailable';
  return {kind: known ? kind : 'internal', message, reason, details};
}
