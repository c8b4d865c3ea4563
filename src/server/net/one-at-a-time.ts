import type {IncomingMessage, RequestListener, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {getHeapStatistics} from 'node:v8';

/** Maximum number of requests of one connection that wait for an earlier response. */
const mostWaiting = 100;

/** Maximum number of waiting requests of all connections: at about 8 KiB each, they fill at most 1/32 of the heap. */
const mostOfAll = getHeapStatistics().heap_size_limit / 32 / (8 * 1024);

/** The requests of one connection that wait while an earlier one is handled. */
type Waiting = [IncomingMessage, ServerResponse][];

/**
 * Handles the requests of each connection one after the other. Node would handle all requests that it parses from one
 * read at once, even if the client reads no response. A connection with too many waiting requests is cut.
 */
export class OneAtATime {
  /** All open connections; with TLS the underlying sockets, which include those in a handshake. */
  readonly #open = new Set<Socket>();
  /** The connections with a request in progress. */
  readonly #busy = new Map<Socket, Waiting>();
  #waiting = 0;

  constructor(server: Server, handle: RequestListener) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('request', (request, response) => {
      const {socket} = request;
      // Node parsed this request from the same read as an earlier one, at which the connection was cut.
      if (socket.destroyed) return;
      const waiting = this.#busy.get(socket);
      if (waiting === undefined) {
        this.#start(request, response, handle, []);
      } else if (waiting.length < mostWaiting && this.#waiting < mostOfAll) {
        waiting.push([request, response]);
        this.#waiting += 1;
      } else {
        socket.destroy();
      }
    });
  }

  /** Cuts connections without a request in progress; Node itself closes only those between two requests. */
  cutUnused(): void {
    const busy = new Set([...this.#busy.keys()].map(peerOf));
    for (const socket of this.#open) if (!busy.has(peerOf(socket))) socket.destroy();
  }

  #start(
    request: IncomingMessage,
    response: ServerResponse,
    handle: RequestListener,
    waiting: Waiting,
  ): void {
    const {socket} = request;
    this.#busy.set(socket, waiting);
    response.on('close', () => {
      const next = waiting.shift();
      if (next !== undefined) this.#waiting -= 1;
      // Nothing is handled after a response that closes the connection (RFC 9112 §9.6).
      if (next !== undefined && socket.writable) {
        this.#start(...next, handle, waiting);
        return;
      }
      this.#waiting -= waiting.length;
      this.#busy.delete(socket);
    });
    handle(request, response);
  }
}

/** Identifies a connection: the same text for a TLS socket and its underlying one. */
function peerOf({remoteAddress, remotePort}: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
