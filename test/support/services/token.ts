import {randomBytes} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import {type Seen, thirdPartyService} from '../third-party.js';

/** Called for a request before the service handles it; true: the service must not respond itself. */
type Interfere = (request: Seen, response: ServerResponse, index: number) => boolean;

interface Behavior {
  readonly before?: Interfere;
  /** Whether the response to an activation is lost after the work is done. */
  readonly loses?: (name: string) => boolean;
}

/** A service of another vendor that uses each token once, and ignores idempotency keys. */
export async function tokenService({before = () => false, loses = () => false}: Behavior = {}) {
  /** The tokens that it created. */
  const tokens = new Set<string>();
  /** Names of the connectors, by the token that activated each. */
  const connectors = new Map<string, string>();
  const send = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, {'content-type': 'application/json'});
    response.end(JSON.stringify(body));
  };
  const {url, seen} = await thirdPartyService((request, response, index) => {
    if (before(request, response, index)) return;
    if (request.path === '/api/connectors') {
      const list = [...connectors].map(([id, name]) => ({id, name}));
      send(response, 200, list);
      return;
    }
    if (request.path.endsWith('/create-token')) {
      const token = randomBytes(12).toString('hex');
      tokens.add(token);
      send(response, 200, {token, expires_at: '2999-01-01T00:00:00Z'});
      return;
    }
    const {token, name} = JSON.parse(request.body) as {token: string; name: string};
    if (!tokens.has(token) || connectors.has(token)) {
      send(response, 409, {message: 'the token cannot be used'});
      return;
    }
    connectors.set(token, name);
    if (loses(name)) response.destroy();
    else send(response, 201, {id: `id-of-${name}`, name, api_key: `key-of-${name}`});
  });
  return {url, seen, connectors, tokens};
}
