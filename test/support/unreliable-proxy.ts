import {once} from 'node:events';
import net from 'node:net';

/** What may happen to an exchange between a client and the database. */
export interface Mishap {
  /** It befalls requests whose bytes hold this text: the name of a statement. */
  readonly statement: string;
  /** The connection breaks before the server has the request, or when its response is on the way. */
  readonly lost: 'request' | 'answer';
  /** How many exchanges it befalls. */
  times: number;
}

/** The end of a PostgreSQL server's answer: ReadyForQuery, outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A TCP proxy to a database that loses requests or answers, or everything, when a test says so. */
export class UnreliableProxy {
  readonly #server: net.Server;
  readonly #target: {readonly host: string; readonly port: number};
  readonly #sockets = new Set<net.Socket>();
  readonly #mishaps: Mishap[] = [];
  readonly #requests: string[] = [];
  #isFrozen = false;
  #port = 0;

  private constructor(target: URL) {
    this.#target = {host: target.hostname, port: Number(target.port || 5432)};
    this.#server = net.createServer((client) => this.#connect(client));
  }

  /** A proxy to the server of a URL. It does not listen yet. */
  static async make(url: string): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(new URL(url));
    // Takes a port and lets go of it, so that the address is known before anything listens there.
    await proxy.listen();
    await proxy.close();
    return proxy;
  }

  /** `127.0.0.1:PORT` */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The same database by way of this proxy. */
  urlFor(url: string): string {
    const proxied = new URL(url);
    proxied.host = this.address;
    return proxied.href;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  /** Lets no one in any more, and breaks all connections. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Keeps all that is sent from now on, without a word; connections stay open. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Breaks what was frozen, and works again. */
  thaw(): void {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  lose(mishap: Mishap): void {
    this.#mishaps.push(mishap);
  }

  /** How many requests had this text. */
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
      losesResponse = mishap?.lost === 'answer';
    });
    server.on('data', (bytes) => {
      if (this.#isFrozen) return;
      if (!losesResponse) client.write(bytes);
      else if (bytes.subarray(-ready.length).equals(ready)) client.destroy();
    });
  }
}
