import {chmod, rm} from 'node:fs/promises';
import Fastify, {type FastifyInstance} from 'fastify';
import {AppError} from '../../../errors.js';
import type {ApiKeyInfo, CreatedKey, Keyring} from '../types.js';
import {ControlCall, type ControlError, errorStatus} from './protocol.js';
import {controlSocket, withControlSocket} from './socket.js';

/**
 * Takes calls to the keyring on a socket in the store's directory. It replaces the socket of a killed
 * service: only the process that holds the store has one there.
 *
 * @returns undefined if the path is too long for a socket
 */
export async function serveControl(
  directory: string,
  keyring: Omit<Keyring, 'close'>,
): Promise<{close(): Promise<void>} | undefined> {
  const app = buildControl(keyring);
  const socket = controlSocket(directory);
  await rm(socket, {force: true});
  const address = await withControlSocket(directory, (path) => app.listen({path}));
  if (address === undefined) return undefined;
  await chmod(socket, 0o600);
  return {
    async close() {
      await app.close();
      await rm(socket, {force: true});
    },
  };
}

function buildControl(keyring: Omit<Keyring, 'close'>): FastifyInstance {
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(errorStatus).send(describe(error)));
  app.post('/', ({body}) => dispatch(ControlCall.parse(body), keyring));
  return app;
}

function dispatch(
  call: ControlCall,
  keyring: Omit<Keyring, 'close'>,
): Promise<CreatedKey | readonly ApiKeyInfo[] | ApiKeyInfo> {
  switch (call.call) {
    case 'create':
      return keyring.create(call.key);
    case 'list':
      return keyring.list();
    case 'revoke':
      return keyring.revoke(call.id, call.reason);
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
