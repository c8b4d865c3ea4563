import type {KeyReading} from '../client/types.js';
import {expiresSoon} from '../domain/key-expiry.js';
import {exactTime, relativeTime} from '../terminal/time.js';

/** That an API key expires soon, as a sentence without its period; undefined if there is time. */
export function expiryText(key: KeyReading | undefined, now: number): string | undefined {
  const {expiresAt, createdAt} = key ?? {};
  if (expiresAt === undefined) return undefined;
  const lifetime = {createdAt: createdAt?.getTime(), expiresAt: expiresAt.getTime()};
  if (!expiresSoon(lifetime, now)) return undefined;
  return `The API key expires ${relativeTime(expiresAt, now)} (${exactTime(expiresAt)}): ask for a new one`;
}
