import {createHmac} from 'node:crypto';
import {formatSecret} from './secret.js';

/**
 * A connector's own API key. It is derived, not drawn, so that a repeated activation can answer it
 * again without storing it. The activation token is part of the input, and the store holds only the
 * token's hash: who reads the store, server secret included, cannot derive any key.
 */
export function deriveConnectorKey(
  serverSecret: Uint8Array,
  token: string,
  connectorId: string,
): string {
  const bytes = createHmac('sha256', serverSecret).update(`${token}\n${connectorId}`).digest();
  return formatSecret('connectorKey', bytes);
}
