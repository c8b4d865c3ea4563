import {Agent, request} from 'node:http';
import {text} from 'node:stream/consumers';

/** A response of the service. */
export interface Response {
  readonly status: number;
  readonly body: string;
}

/** What a call sends beside its path. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST';
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly json?: unknown;
}

/** Longest time that a response may take, in milliseconds. */
const timeout = 20_000;

/** Calls the service over connections that are kept; a failure to connect or to read is thrown. */
export class Client {
  readonly #agent: Agent;
  readonly #base: string;

  constructor(base: string, connections: number) {
    this.#base = base;
    this.#agent = new Agent({keepAlive: true, maxSockets: connections});
  }

  call(
    path: string,
    {method = 'GET', key, idempotencyKey, json}: CallOptions = {},
  ): Promise<Response> {
    const body = json === undefined ? '' : JSON.stringify(json);
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#base}${path}`, {
        method,
        agent: this.#agent,
        signal: AbortSignal.timeout(timeout),
        headers: {
          'content-length': Buffer.byteLength(body),
          ...(key !== undefined && {authorization: `Bearer ${key}`}),
          ...(idempotencyKey !== undefined && {'idempotency-key': idempotencyKey}),
        },
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        text(response).then(
          (read) => resolve({status: response.statusCode ?? 0, body: read}),
          reject,
        );
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
