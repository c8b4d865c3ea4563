import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {headers, serviceRoutes} from '../../contract/index.js';
import {AppError} from '../../errors.js';

/** Stands for every origin; must be the only entry of a list. */
const anyOrigin = '*';

/** Seconds for which a browser may cache a preflight response. */
const maxAge = 600;

/** Headers that a page may send and read, besides those that the Fetch standard always allows. */
const sendable = [headers.authorization, headers.apiKey, 'content-type', headers.idempotencyKey];
const readable = [headers.link, headers.requestId, headers.retryAfter];

/**
 * Reads a comma-separated list of origins.
 *
 * @throws AppError when an entry is not an origin, or `*` is not the only entry
 */
export function readOrigins(list: string): string[] {
  const origins = list.split(',').map((entry) => entry.trim());
  if (origins.length === 1 && origins[0] === anyOrigin) return origins;
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw new AppError('usage', `${JSON.stringify(origin)} is not an origin of a web page.`, {
      reason: 'cors-origin-invalid',
    });
  }
  return origins;
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Lets pages of other origins call the service, by the CORS protocol of the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Browser credentials are never allowed: a page
 * must hold a key itself. The metrics have no CORS headers, because they are allowed by address, and a
 * browser on an allowed address would read them for any page.
 *
 * `@fastify/cors` registers a route for every OPTIONS request and responds with 204 or plain text where
 * the service must send a problem document. Without it only these few headers remain.
 *
 * @param origins from `readOrigins`
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const toAll = origins.includes(anyOrigin);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === serviceRoutes.metrics.path) return done();
    // The response depends on Origin even if the request has none.
    if (!toAll) reply.header('vary', 'Origin');
    const {origin} = request.headers;
    if (origin === undefined || !(toAll || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', toAll ? anyOrigin : origin);
    reply.header('access-control-expose-headers', readable.join(', '));
    if (!sendPreflight(request, reply)) done();
  });
}

/** Responds to a preflight for a known path; returns false for any other request. */
function sendPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== 'OPTIONS') return false;
  if (request.headers['access-control-request-method'] === undefined) return false;
  const {allowedMethods} = request.routeOptions.config;
  if (allowedMethods === undefined) return false;
  reply
    .code(204)
    .header('access-control-allow-methods', allowedMethods.join(', '))
    .header('access-control-allow-headers', sendable.join(', '))
    .header('access-control-max-age', String(maxAge))
    .send();
  return true;
}
