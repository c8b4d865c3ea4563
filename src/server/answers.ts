/** Headers of every answer: they hold secrets and live state, and are JSON and nothing else. */
export const everyAnswer = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;
