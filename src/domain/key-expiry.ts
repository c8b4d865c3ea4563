import {day} from './time.js';

/** When an API key was created, where that is known, and when it expires. Milliseconds since the Unix epoch. */
export interface KeyLifetime {
  readonly createdAt: number | undefined;
  readonly expiresAt: number;
}

/** The last week of a key is the time to replace it; of a short-lived one, the last fifth of its life. */
const notice = {longest: 7 * day, share: 1 / 5} as const;

/** Whether an API key should be replaced now. */
export function expiresSoon({createdAt, expiresAt}: KeyLifetime, now: number): boolean {
  const lifetime = createdAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - createdAt;
  return expiresAt - now <= Math.min(notice.longest, lifetime * notice.share);
}
