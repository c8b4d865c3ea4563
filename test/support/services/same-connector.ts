import type {Respond} from '../third-party.js';

interface Connector {
  readonly id: string;
  readonly name: string;
  last_seen: string | null;
}

/**
 * A second service that was written from docs/interface.md alone. A used token is answered with the connector that it
 * activated. It has one key and no organizations, ids that count up, 201 for what is new, `{"result": …}` around
 * everything but the token, no pages, and knows neither Idempotency-Key nor credentials of connectors.
 */
export function sameConnectorService(
  key: string,
): Respond & {readonly connectors: readonly Connector[]} {
  const tokens = new Map<string, {readonly expiresAt: number; connector?: Connector}>();
  const connectors: Connector[] = [];

  const activate = (text: string): [number, object] => {
    let body: {token?: unknown; name?: unknown} | null;
    try {
      body = JSON.parse(text);
    } catch {
      return [400, {error: {message: 'the body is not JSON'}}];
    }
    const {token, name} = body ?? {};
    if (typeof token !== 'string' || typeof name !== 'string' || name === '')
      return [400, {error: {message: 'token and name are strings'}}];
    const found = tokens.get(token);
    if (found === undefined) return [404, {error: {message: 'there is no such token'}}];
    if (found.connector !== undefined) return [200, {result: found.connector}];
    if (Date.now() > found.expiresAt) return [410, {error: {message: 'the token has expired'}}];
    found.connector = {id: `${connectors.length + 1}`, name, last_seen: null};
    connectors.push(found.connector);
    return [201, {result: found.connector}];
  };

  const answer = (method: string, path: string, text: string): [number, object] => {
    if (method === 'POST' && path === '/api/connectors/create-token') {
      const token = crypto.randomUUID();
      const expiresAt = Date.now() + 900_000;
      tokens.set(token, {expiresAt});
      return [201, {token, expires_at: `${new Date(expiresAt).toISOString().slice(0, 19)}Z`}];
    }
    if (method === 'POST' && path === '/api/connectors/activate') return activate(text);
    if (method !== 'POST' && path === '/api/connectors') return [200, {result: connectors}];
    const [, id, beat] = /^\/api\/connectors\/([^/]+)(\/heartbeat)?$/.exec(path) ?? [];
    const connector = connectors.find((one) => one.id === id);
    if (connector === undefined) return [404, {error: {message: 'not found'}}];
    if (beat !== undefined) connector.last_seen = new Date().toISOString();
    return [200, {result: connector}];
  };

  const respond: Respond = ({method, path, headers, body}, response) => {
    const [scheme = '', sent] = (headers.authorization ?? '').split(' ');
    const isKnown = scheme.toLowerCase() === 'bearer' && sent === key;
    const isOpen = path === '/api/connectors/activate';
    const [status, content] =
      isKnown || isOpen
        ? answer(method, path.replace(/\?.*/, ''), body)
        : [401, {error: {message: 'unauthorized'}}];
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 401 && {'www-authenticate': 'Bearer'}),
    });
    response.end(JSON.stringify(content));
  };
  return Object.assign(respond, {connectors});
}
