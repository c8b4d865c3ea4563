import type {Credentials} from '../../../src/connector/credentials/credentials.js';
import {connectorKey} from '../values/secrets.js';

/** What `connector activate` saves for connector `con_1`. */
export function savedCredentials(changes: Partial<Credentials> = {}): Credentials {
  return {
    base_url: 'http://127.0.0.1:1',
    connector_id: 'con_1',
    name: 'web-1',
    api_key: connectorKey(),
    response: {id: 'con_1', name: 'web-1', api_key: connectorKey()},
    token_hash: 'hash',
    activated_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}
