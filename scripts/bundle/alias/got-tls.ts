// For `node:tls` in got, which hands this function to each request, also to one without TLS.
import type tls from 'node:tls';

export function checkServerIdentity(
  ...args: Parameters<typeof tls.checkServerIdentity>
): Error | undefined {
  const real: typeof tls = require('node:tls');
  return real.checkServerIdentity(...args);
}
