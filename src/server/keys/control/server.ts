import {chmod, lstat, rename, rm} from 'node:fs/promises';
import Fastify, {type FastifyInstance} from 'fastify';
import {AppError} from '../../../errors.js';
import {inDirectory, names} from '../../../store/json-file/layout.js';
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
 * service: only the process that holds the store has one there. It leaves that of another process which took the store
 * over while this one was stopped.
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
  if ((await find(socket))?.isSocket() === false) {
    throw new AppError('usage', `${socket} is not a socket: move it away.`);
  }
  // Closing a server removes the name on which it listened, even if that is another's by then.
  const name = names.temporary(names.control);
  const draft = inDirectory(directory, name);
  await rm(draft, {force: true});
  const address = await withSocketPath(directory, name, (path) => app.listen({path}));
  if (address === undefined) return undefined;
  await chmod(draft, 0o600);
  const own = await lstat(draft);
  await rename(draft, socket);
  return {
    async close() {
      const found = await find(socket);
      if (found?.ino === own.ino && found.dev === own.dev) await rm(socket, {force: true});
      await app.close();
    },
  };
}

/** What is at a path; undefined if it cannot be told. */
const find = (path: string) => lstat(path).catch(() => undefined);

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
