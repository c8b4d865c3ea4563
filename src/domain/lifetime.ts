/** Two clocks that differ by this many milliseconds are still believed to mean the same lifetime. */
const tolerance = 60_000;

/**
 * Whether a new activation token's expiry does not fit the lifetime that was asked for. Judged by
 * the service's own clock, so that a wrong one here raises no alarm.
 *
 * @param token `serverTime`: when the service answered; without it nothing can be judged
 * @param seconds the lifetime that was asked for
 */
export function ignoresLifetime(
  token: {readonly expiresAt: Date; readonly serverTime: Date | undefined},
  seconds: number,
): boolean {
  if (token.serverTime === undefined) return false;
  const lifetime = token.expiresAt.getTime() - token.serverTime.getTime();
  // A short lifetime leaves less room: half of it is then already another lifetime.
  return Math.abs(lifetime - seconds * 1000) > Math.min(tolerance, seconds * 500);
}
