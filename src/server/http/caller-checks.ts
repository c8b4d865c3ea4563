// Checks of callers for routes that need no key, but are not public, such as the metrics.
import type {FastifyRequest} from 'fastify';

/** Headers that a proxy adds to a request that it forwards: those of RFC 7239 and RFC 9110 §7.6.3, and usual others. */
const forwarding = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|(?:.+-)?(?:client|connecting)-ip)$/;

/** Whether the request comes through a proxy that is not trusted. */
export function isRelayed({ip, socket, headers}: FastifyRequest): boolean {
  return ip === socket.remoteAddress && Object.keys(headers).some((name) => forwarding.test(name));
}
