import {randomUUID} from 'node:crypto';
import {headers} from '../contract/headers.js';
import type {ActivateBody, CreateTokenBody} from '../contract/index.js';
import {type Clock, systemClock} from '../system/clock.js';
import {type Call, Transport} from './http/transport.js';
import {keepAlive} from './keep-alive.js';
import {PagedList, pagesOfConnectors} from './list.js';
import {readBody, readFreeBody, readWholeBody} from './read/body.js';
import {readActivation, readActivationToken, readConnector, readHeartbeat} from './read/reader.js';
import {readSettings} from './settings.js';
import type {
  ActivationReading,
  ActivationTokenReading,
  CallOptions,
  Client,
  ClientOptions,
  ConnectorList,
  ConnectorReading,
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
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock = systemClock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async createToken(
    extensions: Parameters<Client['createToken']>[0] = {},
    {signal}: CallOptions = {},
  ): Promise<ActivationTokenReading> {
    const context = this.#transport.context('createToken');
    const {ttlSeconds, description} = extensions;
    const body: CreateTokenBody = {ttl_seconds: ttlSeconds, description};
    const extended = ttlSeconds !== undefined || description !== undefined;
    const url = this.#transport.url('createToken');
    const call = {context, url, ...(extended ? json(body) : {}), signal};
    return this.#transport.send(call, (response) =>
      readActivationToken(context, readBody(context, response), response.serverTime),
    );
  }

  async activateConnector(
    {token, name, idempotencyKey = randomUUID()}: Parameters<Client['activateConnector']>[0],
    {signal}: CallOptions = {},
  ): Promise<ActivationReading> {
    const context = this.#transport.context('activate', undefined, [token]);
    const body: ActivateBody = {token, name};
    const request = json(body);
    const call = {
      context,
      url: this.#transport.url('activate'),
      body: request.body,
      headers: {...request.headers, [headers.idempotencyKey]: idempotencyKey},
      signal,
    };
    return this.#transport.send(call, (response) =>
      readActivation(readWholeBody(context, response), token, response),
    );
  }

  listConnectors(options: ListOptions = {}): ConnectorList {
    return new PagedList(pagesOfConnectors(this.#transport, options));
  }

  async getConnector(id: string, {signal}: CallOptions = {}): Promise<ConnectorReading> {
    const context = this.#transport.context('get', id);
    const url = this.#transport.url('get', id);
    return this.#transport.send({context, url, signal}, (response) =>
      readConnector(context, readBody(context, response)),
    );
  }

  async sendHeartbeat(id: string, {signal}: CallOptions = {}): Promise<HeartbeatReading> {
    return this.#heartbeat(id, {signal});
  }

  async keepAlive(id: string, options: KeepAliveOptions = {}): Promise<void> {
    // Its loop repeats what fails, at its own pace.
    await keepAlive((signal) => this.#heartbeat(id, {signal, retries: 0}), options, this.#clock);
  }

  async #heartbeat(
    id: string,
    options: Pick<Call, 'retries' | 'signal'>,
  ): Promise<HeartbeatReading> {
    const context = this.#transport.context('heartbeat', id);
    const url = this.#transport.url('heartbeat', id);
    return this.#transport.send({context, url, ...options}, (response) =>
      readHeartbeat(readFreeBody(context, response)),
    );
  }
}

/** A JSON body and its content type. */
function json(body: CreateTokenBody | ActivateBody): Required<Pick<Call, 'body' | 'headers'>> {
  return {body: JSON.stringify(body), headers: {'content-type': 'application/json'}};
}
