import {randomUUID} from 'node:crypto';
import {headers} from '../contract/headers.js';
import type {ActivateBody, CreateTokenBody} from '../contract/index.js';
import {type Call, Transport} from './http/transport.js';
import {keepAlive} from './keep-alive.js';
import {listConnectors} from './list.js';
import {readingOf, requireConnector} from './read/connector.js';
import {
  readActivation,
  readActivationToken,
  readBody,
  readHeartbeat,
  readWholeBody,
} from './read/responses.js';
import {readSettings} from './settings.js';
import type {
  ActivationReading,
  ActivationTokenReading,
  CallOptions,
  Client,
  ClientOptions,
  ConnectorList,
  ConnectorReading,
  HeartbeatOptions,
  HeartbeatReading,
  KeepAliveOptions,
  ListOptions,
} from './types.js';

/**
 * Creates a client of a service that speaks the interface.
 *
 * @throws AppError of kind `usage` for an invalid option. Sends nothing.
 */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(new Transport(readSettings(options)));
}

/** The operations of the interface over HTTP. */
export class HttpClient implements Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  createToken(
    {ttlSeconds, description}: Parameters<Client['createToken']>[0] = {},
    options: CallOptions = {},
  ): Promise<ActivationTokenReading> {
    const extensions: CreateTokenBody = {ttl_seconds: ttlSeconds, description};
    const isExtended = ttlSeconds !== undefined || description !== undefined;
    const body = isExtended ? JSON.stringify(extensions) : undefined;
    const call = {operation: 'createToken', body, ...options} as const;
    return this.#transport.send(call, readActivationToken);
  }

  activateConnector(
    {token, name, idempotencyKey = randomUUID()}: Parameters<Client['activateConnector']>[0],
    options: CallOptions = {},
  ): Promise<ActivationReading> {
    const activation: ActivateBody = {token, name};
    const call = {
      operation: 'activate',
      secrets: [token],
      body: JSON.stringify(activation),
      headers: {[headers.idempotencyKey]: idempotencyKey},
      ...options,
    } as const;
    return this.#transport.send(call, (response, context) =>
      readActivation(readWholeBody(context, response), token, response),
    );
  }

  listConnectors(options: ListOptions = {}): ConnectorList {
    return listConnectors(this.#transport, options);
  }

  getConnector(
    id: string,
    options: Pick<Call, 'retries' | 'signal'> = {},
  ): Promise<ConnectorReading> {
    return this.#transport.send({operation: 'get', id, ...options}, (response, context) =>
      readingOf(requireConnector(context, readBody(context, response))),
    );
  }

  sendHeartbeat(
    id: string,
    {process, ...options}: HeartbeatOptions & Pick<Call, 'retries'> = {},
  ): Promise<HeartbeatReading> {
    const sent = process === undefined ? {} : {headers: {[headers.process]: process}};
    const call = {operation: 'heartbeat', id, ...sent, ...options} as const;
    return this.#transport.send(call, readHeartbeat);
  }

  async keepAlive(id: string, options: KeepAliveOptions = {}): Promise<void> {
    const process = randomUUID();
    // The loop of `keepAlive` retries at its own pace.
    const send = (signal: AbortSignal) => this.sendHeartbeat(id, {signal, process, retries: 0});
    const read = (signal: AbortSignal) => this.getConnector(id, {signal, retries: 0});
    await keepAlive({send, read}, options, this.#transport.clock);
  }
}
