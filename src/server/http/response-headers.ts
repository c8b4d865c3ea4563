/**
 * Headers of every response. Responses hold secrets and live state, so they are never cached. If a
 * browser is pointed here anyway, it must not frame the response, run anything in it, or send a
 * referrer.
 */
export const defaultHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
