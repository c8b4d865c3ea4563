import {once} from 'node:events';
import http from 'node:http';
import https from 'node:https';
import {isIP, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {AddressPatience} from '../../system/address-patience.js';
import {isSuccess} from '../messages.js';
import {type ProxyRoute, proxyFor} from '../proxy.js';

/** The idle time after which a connection is closed, in milliseconds, as in Node's global agents. */
const idle = 5000;

type Connected = (error: Error | null, stream?: Duplex | null) => void;

/**
 * The agents of one client. Node's global agents could choose a proxy from the environment by other rules. Each
 * connection, also after a redirect, uses the proxy for its address, through a tunnel (CONNECT, RFC 9110 §9.3.6) for
 * http and https alike. A failure before the tunnel is open has the error of the connection to the proxy, or the code
 * `CONNECT` with the status of the proxy's response.
 */
export class ClientAgents {
  readonly patience: AddressPatience;
  readonly #options: http.AgentOptions;
  readonly #timeout: number;
  #http: http.Agent | undefined;
  #https: https.Agent | undefined;

  /** @param timeout milliseconds that a proxy may take to open a tunnel */
  constructor(keepAlive: boolean, timeout: number, patience = new AddressPatience()) {
    this.patience = patience;
    this.#options = keepAlive ? {keepAlive, scheduling: 'lifo', timeout: idle} : {};
    this.#timeout = timeout;
  }

  /** The agent for a URL, as got takes it; created on demand, because loading `https` takes milliseconds. */
  for({protocol}: URL): {http: http.Agent} | {https: https.Agent} {
    if (protocol === 'http:') {
      this.#http ??= this.#route(new http.Agent(this.#options), protocol);
      return {http: this.#http};
    }
    this.#https ??= this.#route(new https.Agent(this.#options), 'https:');
    return {https: this.#https};
  }

  #route<Agent extends http.Agent>(agent: Agent, protocol: 'http:' | 'https:'): Agent {
    const connect = agent.createConnection.bind(agent);
    const createConnection = (options: http.ClientRequestArgs, done: Connected) => {
      const host = options.host ?? '';
      const target = `${isIP(host) === 6 ? `[${host}]` : host}:${options.port}`;
      const proxy = proxyFor(new URL(`${protocol}//${target}`));
      if (proxy === undefined) {
        return this.patience.watch(connect({...options, ...this.patience.options}) as Socket);
      }
      const isSecure = protocol === 'https:';
      this.#openTunnel(proxy, target)
        .then((socket) => (isSecure ? connect({...options, socket} as object) : socket))
        .then((stream) => done(null, stream), done);
      return undefined;
    };
    return Object.assign(agent, {createConnection});
  }

  async #openTunnel({url}: ProxyRoute, target: string): Promise<Socket> {
    const {request, Agent} = url.protocol === 'https:' ? https : http;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const login = Buffer.from(unescape(`${url.username}:${url.password}`), 'latin1');
    const sent = request({
      method: 'CONNECT',
      host,
      port: url.port,
      path: target,
      // The name in the proxy's certificate; the default would be the name in the `host` header.
      servername: isIP(host) === 0 ? host : '',
      headers: {
        host: target,
        connection: 'keep-alive',
        ...(`${login}` !== ':' && {'proxy-authorization': `Basic ${login.toString('base64')}`}),
      },
      agent: new Agent(),
      timeout: this.#timeout,
      ...this.patience.options,
    });
    // Only the request that waits for the tunnel keeps the process running.
    sent.once('socket', (socket) => this.patience.watch(socket).unref());
    sent.once('timeout', () => {
      const late = new Error(`the proxy ${url.origin} opens no tunnel to ${target}`);
      sent.destroy(Object.assign(late, {code: 'ETIMEDOUT'}));
    });
    sent.end();
    const [{statusCode}, socket, head] = await once(sent, 'connect');
    if (!isSuccess({status: statusCode})) {
      socket.destroy();
      throw Object.assign(new Error(), {code: `CONNECT ${statusCode}`});
    }
    socket.unshift(head);
    return socket.ref();
  }
}
