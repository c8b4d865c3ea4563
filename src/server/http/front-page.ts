import {createHash} from 'node:crypto';
import type {FastifyInstance, FastifyRequest} from 'fastify';
import {serviceRoutes} from '../../contract/index.js';

const style =
  ':root{color-scheme:light dark;font:1.1rem/1.5 system-ui,sans-serif}body{max-width:36rem;margin:3rem auto;padding:0 1rem}';

/** The links are relative, so they are correct behind a path prefix too. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Connectors service</title>
<style>${style}</style>
<h1>Connectors service</h1>
<p>Programs on your machines, called connectors, report here that they are alive. You use this service with
its command line or with HTTP requests and an API key; it has no pages but this one.</p>
<ul>
<li><a href=".${serviceRoutes.openapi.path}">API description</a> (OpenAPI 3.1)</li>
<li><a href=".${serviceRoutes.ready.path}">Whether the service is ready</a></li>
</ul>
</html>
`;

/** Allows only the page's own style: no script, no form, no frame. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Explains the service to a person who opens it in a browser. It is not a route: for every other request
 * `/` is an unknown path.
 */
export function showFrontPage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isBrowserAtRoot(request)) return done();
    reply
      .code(200)
      .header('content-security-policy', policy)
      .header('vary', 'accept')
      .type('text/html; charset=utf-8')
      .send(page);
  });
}

/** Browsers name `text/html` when they open a page; programs accept anything, or JSON (RFC 9110 §12.5.1). */
function isBrowserAtRoot({is404, method, raw}: FastifyRequest): boolean {
  if (!is404 || raw.url !== '/' || (method !== 'GET' && method !== 'HEAD')) return false;
  const weights = new Map(
    (raw.headers.accept ?? '').split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}
