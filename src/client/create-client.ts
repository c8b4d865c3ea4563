import {randomUUID} from 'node:crypto';
import {headers} from '../contract/headers.js';
import type {ActivateBody, CreateTokenBody} from '../contract/index.js';
import {Transport} from './http/transport.js';
import {keepAlive} from './keep-alive.js';
import {ClientError} from './messages.js';
import {readBody} from './read/body.js';
import {readingOf, requireConnector} from './read/connector.js';
import {listConnectors} from './read/list.js';
import {heartbeatReader, readActivated, readActivationToken} from './read/responses.js';
import {checkNames, clientDefaults, readSettings} from './settings.js';
import type {CallOptions, Client, ClientOptions, HeartbeatOptions} from './types.js';

/** The names of `CallOptions`. */
const callNames = {signal: ''};

/**
 * Creates a client of a service that speaks the interface, with options that `readSettings` checks.
 *
 * @throws AppError of kind `usage` for an invalid option. Sends nothing.
 */
export function createClient(options: ClientOptions): Client {
  const known = {baseUrl: '', apiKey: '', ...clientDefaults, trace: '', onResponse: ''};
  checkNames('createClient', options, known);
  if (options?.baseUrl === undefined)
    throw new ClientError('usage', 'createClient needs baseUrl', 'base-url-invalid');
  return clientOver(new Transport(readSettings(options)));
}

/** Implements the operations of the interface over HTTP. */
export function clientOver(transport: Transport): Client {
  const getConnector = async (id: string, options: CallOptions = {}, retries?: number) => {
    checkNames('getConnector', options, callNames);
    return transport.send({operation: 'get', id, retries, ...options}, (response, context) =>
      readingOf(requireConnector(context, readBody(context, response))),
    );
  };
  const read = heartbeatReader();
  const sendHeartbeat = async (id: string, options: HeartbeatOptions = {}, retries?: number) => {
    checkNames('sendHeartbeat', options, {process: '', ...callNames});
    const {process, signal} = options;
    const sent = process === undefined ? {} : {[headers.process]: process};
    return transport.send({operation: 'heartbeat', id, headers: sent, retries, signal}, read);
  };
  return {
    async createToken(extensions = {}, options = {}) {
      checkNames('createToken', extensions, {ttlSeconds: '', description: ''});
      checkNames('createToken', options, callNames);
      const {ttlSeconds, description} = extensions;
      const sent: CreateTokenBody = {ttl_seconds: ttlSeconds, description};
      const isExtended = ttlSeconds !== undefined || description !== undefined;
      const body = isExtended ? JSON.stringify(sent) : undefined;
      return transport.send({operation: 'createToken', body, ...options}, readActivationToken);
    },
    async activateConnector(activation, options = {}) {
      checkNames('activateConnector', activation, {token: '', name: '', idempotencyKey: ''});
      checkNames('activateConnector', options, callNames);
      const {token, name, idempotencyKey = randomUUID()} = activation;
      const body = JSON.stringify({token, name} satisfies ActivateBody);
      const sent = {[headers.idempotencyKey]: idempotencyKey};
      return transport.send(
        {operation: 'activate', secrets: [token], body, headers: sent, ...options},
        (response, context) => readActivated(context, response, token),
      );
    },
    listConnectors: (options = {}) => listConnectors(transport, options),
    getConnector,
    sendHeartbeat,
    async keepAlive(id, options = {}) {
      const process = randomUUID();
      // The loop of `keepAlive` retries at its own pace.
      const send = (signal: AbortSignal) => sendHeartbeat(id, {signal, process}, 0);
      const read = (signal: AbortSignal) => getConnector(id, {signal}, 0);
      await keepAlive({send, read}, options, transport.clock);
    },
  };
}
