import {chmod, lstat, rename, rm} from 'node:fs/promises';
import Fastify, {type FastifyInstance} from 'fastify';
import {AppError} from '../../../errors.js';
import {inDirectory, names} from '../../../store/json-file/format/layout.js';
import {nodeFiles} from '../../../system/files.js';
import {withSocketPath} from '../../../system/socket-path.js';
import type {StoreAdmin} from '../types.js';
import {ControlCall, type ControlError, errorStatus} from './protocol.js';
import {controlSocket} from './socket.js';

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
  admin: Omit<StoreAdmin, 'close'>,
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
  const address = await withSocketPath(nodeFiles, directory, name, (path) => app.listen({path}));
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

function buildControl(admin: Omit<StoreAdmin, 'close'>): FastifyInstance {
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(errorStatus).send(describe(error)));
  app.post('/', ({body}) => dispatch(ControlCall.parse(body), admin));
  return app;
}

function dispatch(call: ControlCall, admin: Omit<StoreAdmin, 'close'>): Promise<unknown> {
  switch (call.call) {
    case 'create':
      return admin.create(call.key);
    case 'list':
      return admin.list();
    case 'revoke':
      return admin.revoke(call.id, call.reason);
    case 'select':
      return admin.select(call.query, call.place);
    case 'find':
      return admin.find(call.ids);
    case 'remove':
      return admin.remove(call.ids, call.silentFor);
    case 'reissue':
      return admin.reissue(call.id, call.revokesNow);
  }
}

function describe(error: unknown): ControlError {
  if (!(error instanceof AppError)) {
    return {kind: 'internal', message: String(error), reason: 'control-internal', details: {}};
  }
  const {kind, message, reason, details} = error;
  const known = kind === 'usage' || kind === 'not_found' || kind === 'unavailable';
  return {kind: known ? kind : 'internal', message, reason, details};
}
