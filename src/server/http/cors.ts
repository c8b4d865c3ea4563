import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {headers, serviceRoutes} from '../../contract/index.js';
import {AppError} from '../../errors.js';

/** Every origin, where it stands in a list alone. */
const anyOrigin = '*';

/** Seconds for which a browser may keep what a preflight has allowed. */
const maxAge = 600;

/** What a page may send and read beside what the Fetch standard lets it anyway. */
const sendable = [headers.authorization, headers.apiKey, 'content-type', headers.idempotencyKey];
const readable = [headers.link, headers.requestId, headers.retryAfter];

/**
 * Checks a list of origins, separated by commas.
 *
 * @throws AppError when an entry is no origin of a web page, or `*` does not stand alone
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
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Credentials of the browser are never allowed:
 * a page must hold a key to send one. The metrics stay closed, since the browser of whoever may read
 * them stands where they are answered.
 *
 * `@fastify/cors` would register a route for every OPTIONS, and so answer 204 or plain text where the
 * service owes a problem document; what is left is these few headers.
 *
 * @param origins checked by `readOrigins`
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const toAll = origins.includes(anyOrigin);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === serviceRoutes.metrics.path) return done();
    // The response depends on it, also where there is none.
    if (!toAll) reply.header('vary', 'Origin');
    const {origin} = request.headers;
    if (origin === undefined || !(toAll || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', toAll ? anyOrigin : origin);
    reply.header('access-control-expose-headers', readable.join(', '));
    if (!responsePreflight(request, reply)) done();
  });
}

/** Answers a preflight for a path that there is; anything else goes its usual way. */
function responsePreflight(request: FastifyRequest, reply: FastifyReply): boolean {
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
