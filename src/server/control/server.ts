import Fastify, {type FastifyInstance} from 'fastify';
import {AppError} from '../../errors.js';
import type {ApiKeyInfo, CreatedKey, Keyring} from '../keys.js';
import {ControlCall, type Failure, failureStatus} from './protocol.js';
import {closeToOthers, prepareSocket, removeSocket} from './socket-path.js';

/** Takes calls to the keyring on a socket that belongs to the store in this folder. */
export async function serveControl(
  folder: string,
  keyring: Omit<Keyring, 'close'>,
): Promise<{close(): Promise<void>}> {
  const app = buildControl(keyring);
  const socket = await prepareSocket(folder);
  await app.listen({path: socket});
  await closeToOthers(socket);
  return {
    async close() {
      await app.close();
      await removeSocket(folder);
    },
  };
}

function buildControl(keyring: Omit<Keyring, 'close'>): FastifyInstance {
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(failureStatus).send(describe(error)));
  app.post('/', ({body}) => answer(ControlCall.parse(body), keyring));
  return app;
}

function answer(
  call: ControlCall,
  keyring: Omit<Keyring, 'close'>,
): Promise<CreatedKey | readonly ApiKeyInfo[] | ApiKeyInfo> {
  switch (call.call) {
    case 'create':
      return keyring.create(call.key);
    case 'list':
      return keyring.list();
    case 'revoke':
      return keyring.revoke(call.id);
  }
}

function describe(error: unknown): Failure {
  if (!(error instanceof AppError)) return {kind: 'bug', message: String(error)};
  const {kind, message, hint} = error;
  const known = kind === 'usage' || kind === 'not_found' || kind === 'unavailable';
  return {kind: known ? kind : 'bug', message, ...(hint === undefined ? {} : {hint})};
}
