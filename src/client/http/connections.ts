import type {Client} from 'undici';
import {errorCode} from '../../system/error-codes.js';
import type {Settings} from '../settings.js';

/**
 * How an attempt ended: with the whole response, without the beginning of one because the connection broke off,
 * with a response that undici cannot read, or otherwise.
 */
export type Ending = 'complete' | 'lost' | 'misread' | 'failed';

/** A connection, which undici opens again after it was closed. */
interface Connection {
  readonly client: Client;
  isUsed: boolean;
}

/**
 * The connections to one service: each carries one request at a time, and the one that was used last is used
 * next. A pool of undici opens more of them than there are requests.
 */
export class Connections {
  readonly #idle: Connection[] = [];
  #areKept = true;

  /** Whether a connection is kept for the next request: not after one was closed when that request came. */
  get areKept(): boolean {
    return this.#areKept;
  }

  take(): Connection | undefined {
    return this.#idle.pop();
  }

  async open({origin}: URL, {timeout}: Settings): Promise<Connection> {
    const {default: Client} = await import('undici/lib/dispatcher/client.js');
    const client = new Client(origin, {
      connectTimeout: timeout,
      // Each attempt has its own time limit.
      headersTimeout: 0,
      bodyTimeout: 0,
      // As got does: NODE_TLS_REJECT_UNAUTHORIZED has no effect.
      connect: {rejectUnauthorized: true},
    });
    return {client, isUsed: false};
  }

  release(connection: Connection, ending: Ending): void {
    // The service closes connections without saying so (RFC 9112 §9.6), which fails a request each time.
    if (ending === 'lost' && connection.isUsed) this.#areKept = false;
    connection.isUsed = true;
    if (ending === 'complete') this.#idle.push(connection);
    // It may still connect, or receive a response that nobody waits for.
    else connection.client.destroy().catch(() => undefined);
  }
}

/** The codes of undici that Node.js has another one for. */
const nodeCodes: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_INVALID_ARG: 'ERR_INVALID_CHAR',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
  UND_ERR_SOCKET: 'ECONNRESET',
};

/** The error of undici as Node.js has it. */
export function asNodeError(error: Error): Error {
  const code = error.name === 'HTTPParserError' ? parserCode(error) : errorCode(error);
  const other = nodeCodes[code ?? ''] ?? code;
  return other === errorCode(error)
    ? error
    : Object.assign(new Error(error.message), {code: other});
}

/** Whether undici broke off the connection, for a response that `attempt` may be able to read. */
export function isMisread(error: Error): boolean {
  return !('syscall' in error) && error.message !== 'other side closed';
}

/** Undici 7 sets no code here. Node.js has one for each violation of HTTP. */
function parserCode({message}: Error): string {
  return message.includes('Invalid EOF state') ? 'ECONNRESET' : 'HPE_INVALID';
}
