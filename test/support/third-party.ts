import {EventEmitter, once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {atEndOfTest} from './process/at-end-of-test.js';

/** A request as the service received it. */
export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Header names as sent, to detect duplicates. */
  readonly headerNames: string[];
  readonly body: string;
}

/** A real HTTP server on a free port that plays the service of another vendor. */
export interface ThirdPartyService {
  readonly url: string;
  readonly seen: Seen[];
  /** Resolves once the service has this many requests. */
  readonly requested: (count?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export type Respond = (request: Seen, response: ServerResponse, index: number) => void;

/**
 * Starts a service that calls `respond` for every request; `index` counts the requests from 0. It ends with the test
 * that starts it.
 */
export async function thirdPartyService(
  respond: Respond,
  tls?: {readonly key: string; readonly cert: string},
): Promise<ThirdPartyService> {
  const seen: Seen[] = [];
  const requests = new EventEmitter();
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      headerNames: request.rawHeaders.filter((_, at) => at % 2 === 0),
      body: Buffer.concat(chunks).toString(),
    };
    seen.push(one);
    respond(one, response, seen.length - 1);
    requests.emit('request');
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = Object(server.address()) as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    seen,
    async requested(count = 1) {
      while (seen.length < count) await once(requests, 'request');
    },
    close: atEndOfTest(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

/** Responds with `body` as JSON; a string is sent unchanged. */
export function json(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Respond {
  return (_, response) => {
    response.writeHead(status, {'content-type': 'application/json', ...headers});
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Responds to each request with the next response; the last response is repeated. */
export function inTurn(...responses: readonly Respond[]): Respond {
  return (request, response, index) => {
    responses[Math.min(index, responses.length - 1)]?.(request, response, index);
  };
}

/** Responds with these bytes. */
export function bytes(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Respond {
  return (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Sends pieces one by one, no faster than the client reads. */
export function pieces(source: Iterable<string>): Respond {
  return async (_, response) => {
    response.setHeader('content-type', 'application/json');
    const gone = once(response, 'close');
    for (const piece of source) {
      if (response.destroyed) return;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), gone]);
    }
    response.end();
  };
}
