import {lookup} from 'node:dns/promises';
import {once} from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import {TLSSocket} from 'node:tls';
import type {ProxyRoute} from '../../client/proxy.js';
import {headers as headerNames} from '../../contract/headers.js';

/** The route and the time limit of a probe. No probe sends the API key. */
export interface ProbeOptions {
  /** Milliseconds; then the probe fails with an error named `TimeoutError`. */
  readonly limit: number;
  readonly route?: ProxyRoute | undefined;
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
const portOf = (url: URL) => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** Whether the host is an IP address, which needs no DNS lookup. */
export const isAddress = (url: URL) => net.isIP(hostOf(url)) !== 0;

/** The addresses of a host. */
export async function probeName(url: URL, {limit}: ProbeOptions): Promise<readonly string[]> {
  // The system's lookup cannot be aborted, only abandoned.
  const addresses = await inTime(limit, () => lookup(hostOf(url), {all: true}));
  return addresses.map(({address}) => address);
}

/** Opens a connection, and returns the address that accepted it. */
export async function probeTcp(url: URL, {limit}: ProbeOptions): Promise<string> {
  const socket = net.connect({host: hostOf(url), port: portOf(url)});
  socket.on('error', () => undefined);
  try {
    await inTime(limit, (signal) => once(socket, 'connect', {signal}));
    return `${socket.remoteAddress}, port ${portOf(url)}`;
  } finally {
    socket.destroy();
  }
}

/** The result of a TLS handshake. */
export interface TlsProbe {
  /** For instance `TLSv1.3`. */
  readonly protocol: string;
  /** OpenSSL's error code for the certificate; undefined for a valid one. */
  readonly certificateError: string | undefined;
  readonly validTo: Date;
  /** The names in the certificate, in its own notation. */
  readonly names: string;
}

/** Completes a TLS handshake with any certificate, to report what is wrong with it. Sends no data. */
export async function probeTls(url: URL, {limit, route}: ProbeOptions): Promise<TlsProbe> {
  const agent = route?.agent.https ?? new https.Agent({maxCachedSessions: 0});
  const request = https.request(url, {agent, rejectUnauthorized: false});
  request.on('error', () => undefined);
  try {
    return await inTime(limit, async (signal) => {
      const [socket] = await once(request, 'socket', {signal});
      if (!(socket instanceof TLSSocket)) throw new Error('no TLS socket');
      await once(socket, 'secureConnect', {signal});
      const {valid_to: validTo, subjectaltname: names = ''} = socket.getPeerCertificate();
      return {
        protocol: socket.getProtocol() ?? 'TLS',
        certificateError: socket.authorized ? undefined : String(socket.authorizationError),
        validTo: new Date(validTo),
        names,
      };
    });
  } finally {
    request.destroy();
  }
}

/** The result of an HTTP request, whatever its status. */
interface HttpProbe {
  readonly version: string;
  readonly status: number;
  readonly location: string | undefined;
  /** Milliseconds that this machine's clock is ahead of the service's; undefined without `Date`. */
  readonly skew: number | undefined;
  /** Whether the service is a sandbox, by its header. */
  readonly isSandbox: boolean;
}

/** Requests the base URL without the API key. */
export async function probeHttp(url: URL, {limit, route}: ProbeOptions): Promise<HttpProbe> {
  const secure = url.protocol === 'https:';
  const agent = secure ? route?.agent.https : route?.agent.http;
  const request = (secure ? https : http).get(url, agent ? {agent} : {});
  request.on('error', () => undefined);
  try {
    const [response] = await inTime(limit, (signal) => once(request, 'response', {signal}));
    if (!(response instanceof http.IncomingMessage)) throw new Error('no HTTP response');
    const {httpVersion: version, statusCode: status = 0, headers} = response;
    const theirs = Date.parse(headers.date ?? '');
    const skew = Number.isNaN(theirs) ? undefined : Date.now() - theirs;
    const isSandbox = headers[headerNames.sandbox] !== undefined;
    return {version, status, location: headers.location, skew, isSandbox};
  } finally {
    request.destroy();
  }
}

async function inTime<T>(limit: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limit);
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), {once: true});
  });
  return Promise.race([work(signal), over]);
}
