import type {IncomingMessage, RequestListener, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {getHeapStatistics} from 'node:v8';

/** How much the connections may make the service keep in memory. */
export interface MemoryLimits {
  /** Requests of one connection that wait for the response to an earlier one. */
  readonly waitingRequests: number;
  /** Bytes of all connections together: responses that are not read, and requests that wait. */
  readonly bytes: number;
}

/** Why a connection was cut: too many requests wait on it, or it takes the most memory of all. */
export type CutReason = 'waiting_requests' | 'memory';

/** The event of a server that has cut a connection, with its socket and the `CutReason`. */
export const cutEvent = 'connectionCut';

/** What Node keeps for a request and its response before they are handled, roughly. */
const bytesPerWaitingRequest = 8 * 1024;

/** The limits unless told otherwise: the rest of the heap is for the store and for requests under way. */
export function defaultMemoryLimits(): MemoryLimits {
  return {waitingRequests: 100, bytes: Math.floor(getHeapStatistics().heap_size_limit / 8)};
}

interface Connection {
  readonly socket: Socket;
  readonly waiting: [IncomingMessage, ServerResponse][];
  isBusy: boolean;
  /** Bytes kept for it when it was last looked at. */
  kept: number;
}

/**
 * Stands between a server and its app. Node parses everything that one read brings and would have all
 * of it handled at once, whether the client reads the responses or not. Here the requests of one
 * connection are handled one after the other, so that it keeps one response at most. The memory of all
 * connections together is bounded as well: beyond the limit those that take the most are cut.
 */
export class ConnectionGuard {
  readonly #handle: RequestListener;
  readonly #limits: MemoryLimits;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** All open connections: with TLS the sockets below it, so that those in a handshake are among them. */
  readonly #open = new Set<Socket>();
  readonly #busy = new Set<Connection>();
  readonly #keeping = new Set<Connection>();
  #kept = 0;
  #server: Server | undefined;

  constructor(handle: RequestListener, limits: MemoryLimits) {
    this.#handle = handle;
    this.#limits = limits;
  }

  /** Takes the requests of a server. */
  attach(server: Server): void {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    const take: RequestListener = (request, response) => this.#take(request, response);
    server.on('request', take);
    // Node would send 100 or 417 itself, before the app has seen the request.
    server.on('checkContinue', take);
    server.on('checkExpectation', take);
  }

  /**
   * Cuts connections on which no request is being handled, when the server stops. Node closes those
   * that are idle between two requests, and waits for all others: also for one that never sent a byte.
   *
   * @param isEarly spares those on which something has arrived: it may be about to become a request
   */
  cutUnused(isEarly: boolean): void {
    const busy = new Set([...this.#busy].map(({socket}) => peerOf(socket)));
    for (const socket of this.#open) {
      if (isEarly ? socket.bytesRead === 0 : !busy.has(peerOf(socket))) socket.destroy();
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const {socket} = request;
    // What else was in the read that had the connection cut.
    if (socket.destroyed) return;
    const connection = this.#connectionOf(socket);
    if (!connection.isBusy) {
      this.#start(connection, request, response);
      return;
    }
    if (connection.waiting.length >= this.#limits.waitingRequests) {
      this.#cut(connection, 'waiting_requests');
      return;
    }
    connection.waiting.push([request, response]);
    this.#measure(connection);
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = {socket, waiting: [], isBusy: false, kept: 0};
    this.#connections.set(socket, connection);
    return connection;
  }

  #start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isBusy = true;
    this.#busy.add(connection);
    const measure = () => this.#measure(connection);
    // The whole response is written, or the next part of a streamed one.
    response.once('prefinish', measure);
    response.once('pipe', (source) => source.on('data', measure));
    response.once('close', () => this.#next(connection));
    this.#handle(request, response);
  }

  #next(connection: Connection): void {
    const {socket, waiting} = connection;
    connection.isBusy = false;
    this.#busy.delete(connection);
    // Nothing is handled after a response that closes the connection (RFC 9112 §9.6).
    if (!socket.writable) waiting.length = 0;
    const next = waiting.shift();
    if (connection.kept > 0) this.#measure(connection);
    if (next !== undefined) this.#start(connection, ...next);
  }

  #measure(connection: Connection): void {
    this.#note(connection);
    if (this.#kept > this.#limits.bytes) this.#relieve();
  }

  #note(connection: Connection): void {
    const {socket, waiting, kept} = connection;
    connection.kept = socket.destroyed
      ? 0
      : waiting.length * bytesPerWaitingRequest + socket.writableLength;
    this.#kept += connection.kept - kept;
    if (connection.kept > 0) this.#keeping.add(connection);
    else this.#keeping.delete(connection);
  }

  /** Cuts those that take the most, well below the limit, so that it is not looked for at each response. */
  #relieve(): void {
    // Some has been read since.
    for (const connection of this.#keeping) this.#note(connection);
    if (this.#kept <= this.#limits.bytes) return;
    const byMemory = [...this.#keeping].sort((left, right) => right.kept - left.kept);
    for (const connection of byMemory) {
      if (this.#kept <= this.#limits.bytes * 0.75) return;
      this.#cut(connection, 'memory');
    }
  }

  #cut(connection: Connection, reason: CutReason): void {
    const {socket, waiting} = connection;
    this.#server?.emit(cutEvent, socket, reason);
    waiting.length = 0;
    socket.destroy();
    this.#note(connection);
  }
}

/** Names a connection: the same for a TLS socket and for the one below it. */
function peerOf({remoteAddress, remotePort}: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
