import {randomUUID} from 'node:crypto';
import type {Respond} from '../third-party.js';

/** What a service of another vendor does, and what it does wrong. */
interface OtherServiceOptions {
  /** API keys, each with its organization. */
  readonly keys: Readonly<Record<string, string>>;
  /** Milliseconds from the creation of a token to its expiry. */
  readonly tokenLifetime?: number;
  /** Added to each token, which may be as long as a JSON Web Token. */
  readonly tokenEnd?: string;
  /** Its time of day, in milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Activates a connector with a token that does not exist. */
  readonly acceptsAnyToken?: boolean;
  /** Activates any number of connectors with a token. */
  readonly tokensStay?: boolean;
  /** Names the expiry of a token `expiry`. */
  readonly misnamesExpiry?: boolean;
}

/** Connectors on a page of its list. */
const pageSize = 2;

/**
 * A service that was written from docs/interface.md alone: its list has pages in an object, ids are UUIDs,
 * errors are `{"error": "…"}`, and a connector has nothing but an id and a name.
 */
export function otherService(options: OtherServiceOptions): Respond & {connectors: object[]} {
  const {keys, tokenLifetime = 900_000, now = Date.now} = options;
  const tokens = new Map<string, {organization: string; expiresAt: number; isUsed: boolean}>();
  const connectors: {id: string; name: string; organization: string}[] = [];

  const respondTo = (method: string, url: URL, key: string, text: string): [number, unknown] => {
    const shown = ({id, name}: {id: string; name: string}) => ({id, name});
    if (method === 'POST' && url.pathname === '/api/connectors/activate') {
      let body: {token?: unknown; name?: unknown};
      try {
        body = JSON.parse(text);
      } catch {
        return [400, {error: 'not JSON'}];
      }
      if (typeof body?.name !== 'string') return [422, {error: 'name is missing'}];
      const token = tokens.get(String(body.token));
      if (token === undefined && !options.acceptsAnyToken) return [403, {error: 'bad token'}];
      const isOver = token !== undefined && token.expiresAt <= now();
      if (isOver || (token?.isUsed && !options.tokensStay)) return [403, {error: 'bad token'}];
      if (token !== undefined) token.isUsed = true;
      const organization = token?.organization ?? 'nobody';
      const connector = {id: randomUUID(), name: body.name, organization};
      connectors.push(connector);
      return [200, shown(connector)];
    }
    const organization = keys[key];
    if (organization === undefined) return [401, {error: 'no such key'}];
    if (method === 'POST' && url.pathname === '/api/connectors/create-token') {
      const token = `${randomUUID()}${options.tokenEnd ?? ''}`;
      const expiresAt = now() + tokenLifetime;
      tokens.set(token, {organization, expiresAt, isUsed: false});
      const time = new Date(expiresAt).toISOString();
      return [200, {token, [options.misnamesExpiry ? 'expiry' : 'expires_at']: time}];
    }
    const own = connectors.filter((one) => one.organization === organization);
    if (method !== 'POST' && url.pathname === '/api/connectors') {
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const next = from + pageSize < own.length ? String(from + pageSize) : null;
      return [200, {connectors: own.slice(from, from + pageSize).map(shown), next}];
    }
    const [, id, action] = /^\/api\/connectors\/([^/]+)(\/heartbeat)?$/.exec(url.pathname) ?? [];
    const connector = own.find((one) => one.id === id);
    if (connector === undefined) return [404, {error: 'not found'}];
    return action === undefined ? [200, shown(connector)] : [204, undefined];
  };

  const respond: Respond = ({method, path, headers, body}, response) => {
    const key = headers.authorization?.replace(/^bearer /i, '') ?? '';
    const [status, content] = respondTo(method, new URL(path, 'http://localhost'), key, body);
    response.writeHead(status, {
      'cache-control': 'no-store',
      ...(status === 401 && {'www-authenticate': 'Bearer'}),
      ...(content !== undefined && {'content-type': 'application/json'}),
    });
    response.end(content === undefined ? undefined : JSON.stringify(content));
  };
  return Object.assign(respond, {connectors});
}
