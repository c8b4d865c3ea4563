// Replaces `node:tls` in got, which passes this function to each request, even without TLS.
import type tls from 'node:tls';

export function checkServerIdentity(
  ...args: Parameters<typeof tls.checkServerIdentity>
): Error | undefined {
  const real: typeof tls = require('node:tls');
  return real.checkServerIdentity(...args);
}
