import {once} from 'node:events';
import net from 'node:net';
import {atEndOfTest} from '../process/at-end-of-test.js';
import {closedPort} from './ports.js';

/** A fault in the exchange between a client and the database. */
interface Mishap {
  /** Affects requests that contain this text, the name of a statement. */
  readonly statement: string;
  /** Whether the connection breaks before the server gets the request, or before the client gets the response. */
  readonly lost: 'request' | 'response';
  /** Number of exchanges that it still affects. */
  times: number;
}

/** The end of a PostgreSQL response: ReadyForQuery, outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A TCP proxy to a database that can drop requests, responses, or all traffic. */
export class UnreliableProxy {
  readonly #server: net.Server;
  readonly #target: {readonly host: string; readonly port: number};
  readonly #sockets = new Set<net.Socket>();
  readonly #mishaps: Mishap[] = [];
  readonly #requests: string[] = [];
  #isFrozen = false;
  readonly #port: number;

  private constructor(target: URL, port: number) {
    this.#port = port;
    this.#target = {host: target.hostname, port: Number(target.port || 5432)};
    this.#server = net.createServer((client) => this.#connect(client));
  }

  /** A proxy to the server of a URL, until the end of the test. It does not listen yet. */
  static async make(url: string): Promise<UnreliableProxy> {
    // Not an automatically assigned port, which another program could take while nothing listens there.
    const proxy = new UnreliableProxy(new URL(url), await closedPort());
    atEndOfTest(() => proxy.close());
    return proxy;
  }

  /** `127.0.0.1:PORT` */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The URL of the same database through this proxy. */
  urlFor(url: string): string {
    const proxied = new URL(url);
    proxied.host = this.address;
    return proxied.href;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Stops listening, and breaks all connections. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Silently holds back everything sent from now on; connections stay open. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Breaks the frozen connections, and forwards again. */
  thaw(): void {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  lose(mishap: Mishap): void {
    this.#mishaps.push(mishap);
  }

  /** Number of requests that contained this text. */
  count(statement: string): number {
    return this.#requests.filter((request) => request.includes(statement)).length;
  }

  #connect(client: net.Socket): void {
    const server = net.connect(this.#target);
    let losesResponse = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (this.#isFrozen) return;
      const request = bytes.toString('latin1');
      this.#requests.push(request);
      const mishap = this.#mishaps.find(
        ({statement, times}) => times > 0 && request.includes(statement),
      );
      if (mishap !== undefined) mishap.times -= 1;
      if (mishap?.lost === 'request') client.destroy();
      else server.write(bytes);
      losesResponse = mishap?.lost === 'response';
    });
    server.on('data', (bytes) => {
      if (this.#isFrozen) return;
      if (!losesResponse) client.write(bytes);
      else if (bytes.subarray(-ready.length).equals(ready)) client.destroy();
    });
  }
}
