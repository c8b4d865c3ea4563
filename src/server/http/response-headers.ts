/**
 * Headers of every response: they hold secrets and live state, and are JSON and nothing else. Should a
 * browser be led here all the same, it shows the response in no frame, runs nothing in it and tells no
 * one whence it came. There is no word of CORS here: that is for `cors.ts`, where somebody asked for it.
 */
export const defaultHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
