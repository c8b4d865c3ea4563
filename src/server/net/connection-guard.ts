import type {IncomingMessage, RequestListener, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {getHeapStatistics} from 'node:v8';

/** Limits on the memory that connections may take. */
export interface MemoryLimits {
  /** Maximum number of requests of one connection that wait for an earlier response. */
  readonly waitingRequests: number;
  /** Maximum bytes of all connections together: unread responses and waiting requests. */
  readonly bytes: number;
}

/**
 * The reason for cutting a connection: too many waiting requests, the most memory of all, or no request yet while
 * almost as many are open as there may be.
 */
export type CutReason = (typeof cutReasons)[number];
export const cutReasons = ['waiting_requests', 'memory', 'silent'] as const;

/** The part of the connections that is kept free by cutting silent ones, for those that arrive together. */
const spare = 1 / 16;

/** Event that a server emits for each cut connection, with the socket and the `CutReason`. */
export const cutEvent = 'connectionCut';

/** Approximate memory of a request and its response before they are handled. */
const bytesPerWaitingRequest = 8 * 1024;

/** Default limits; the rest of the heap is for the store and for requests in progress. */
export function defaultMemoryLimits(): MemoryLimits {
  return {waitingRequests: 100, bytes: Math.floor(getHeapStatistics().heap_size_limit / 8)};
}

interface Connection {
  readonly socket: Socket;
  readonly waiting: [IncomingMessage, ServerResponse][];
  isBusy: boolean;
  /** Bytes that it took at the last measurement. */
  kept: number;
}

/**
 * Limits the memory of connections between a server and its app. Node parses all requests in one read
 * and would handle them at once, even if the client reads no response. The guard handles the requests
 * of one connection one after the other, so each connection holds at most one response. When all
 * connections together exceed the limit, it cuts those that take the most.
 */
export class ConnectionGuard {
  readonly #handle: RequestListener;
  readonly #limits: MemoryLimits;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** All open connections; with TLS the underlying sockets, which include those in a handshake. */
  readonly #open = new Set<Socket>();
  /** Those that have not sent a whole request head, oldest first, by `peerOf`. */
  readonly #silent = new Map<string, Socket>();
  readonly #busy = new Set<Connection>();
  readonly #keeping = new Set<Connection>();
  #kept = 0;
  #server: Server | undefined;

  constructor(handle: RequestListener, limits: MemoryLimits) {
    this.#handle = handle;
    this.#limits = limits;
  }

  /** Handles the requests of a server. */
  attach(server: Server): void {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#open.add(socket);
      this.#silent.set(peer, socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        if (this.#silent.get(peer) === socket) this.#silent.delete(peer);
      });
      this.#cutSilent(server.maxConnections);
    });
    const take: RequestListener = (request, response) => this.#take(request, response);
    server.on('request', take);
    // Otherwise Node sends 100 or 417 itself, before the app sees the request.
    server.on('checkContinue', take);
    server.on('checkExpectation', take);
  }

  /**
   * Cuts connections without a request in progress, during a shutdown. Node itself closes only
   * connections that are idle between two requests, and waits even for one that never sent a byte.
   *
   * @param isEarly spares connections that have sent something, which may become a request
   */
  cutUnused(isEarly: boolean): void {
    const busy = new Set([...this.#busy].map(({socket}) => peerOf(socket)));
    for (const socket of this.#open) {
      if (isEarly ? socket.bytesRead === 0 : !busy.has(peerOf(socket))) socket.destroy();
    }
  }

  /** Cuts the connections that have waited longest with their first request, to leave places for others. */
  #cutSilent(most: number | undefined): void {
    if (most === undefined) return;
    const spared = Math.floor(most * spare);
    for (const [peer, socket] of this.#silent) {
      // The newest ones keep their chance, even where all others are in use.
      if (this.#open.size <= most - spared || this.#silent.size <= spared) return;
      this.#open.delete(socket);
      this.#silent.delete(peer);
      this.#server?.emit(cutEvent, socket, 'silent');
      socket.destroy();
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const {socket} = request;
    // The rest of the read for which the connection was cut.
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
    this.#silent.delete(peerOf(socket));
    const connection = {socket, waiting: [], isBusy: false, kept: 0};
    this.#connections.set(socket, connection);
    return connection;
  }

  #start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isBusy = true;
    this.#busy.add(connection);
    const measure = () => this.#measure(connection);
    // After a whole response, and after each part of a streamed one. Each event comes once for a
    // response: `once` would only cost a wrapper and a removal.
    response.on('prefinish', measure);
    response.on('pipe', (source) => source.on('data', measure));
    response.on('close', () => this.#next(connection));
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

  /** Cuts the largest connections until well below the limit, so that this rarely runs. */
  #relieve(): void {
    // Clients have read some of it since the last measurement.
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

/** Identifies a connection: the same text for a TLS socket and its underlying one. */
export function peerOf({remoteAddress, remotePort}: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
