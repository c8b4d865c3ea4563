// Checks of callers for routes that need no key, but are not public, such as the metrics.
import {isIP} from 'node:net';
import type {FastifyRequest} from 'fastify';

/** Headers that a proxy adds to a request that it forwards: those of RFC 7239 and RFC 9110 §7.6.3, and usual others. */
const forwarding = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|(?:.+-)?(?:client|connecting)-ip)$/;

/**
 * Whether the request addresses the service as `localhost` or by an IP address. A web page can point its own host name at
 * this machine (DNS rebinding); the browser then sends requests from here, with that name.
 */
export function isLocalName({raw}: FastifyRequest): boolean {
  // The target takes precedence over Host (RFC 9112 §3.2.2).
  const authority = /^https?:\/\/([^/?#]*)/i.exec(raw.url ?? '')?.[1] ?? raw.headers.host ?? '';
  const [, address, name = address ?? ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return isIP(name) !== 0 || name === 'localhost';
}

/** Whether the request comes through a proxy that is not trusted. */
export function isRelayed({ip, socket, headers}: FastifyRequest): boolean {
  return ip === socket.remoteAddress && Object.keys(headers).some((name) => forwarding.test(name));
}
