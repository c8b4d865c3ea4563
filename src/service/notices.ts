import {isLoopback} from '../client/settings.js';
import type {KeyReading, ServiceFacts} from '../client/types.js';
import {day} from '../domain/time.js';
import type {Io} from '../terminal/io.js';
import {exactTime, relativeTime} from '../terminal/time.js';
import {apiKeyVariable, selectingFlags, serviceFlags} from './settings.js';

/** A note about variables that override a profile; undefined without any. */
export function environmentNotice(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const variables = [apiKeyVariable, ...selectingFlags.map((flag) => serviceFlags[flag].env ?? '')];
  const isOwn = (variable: string) =>
    variable === serviceFlags.profile.env && env[variable] === name;
  const set = variables.filter((variable) => env[variable] && !isOwn(variable));
  if (set.length === 0) return undefined;
  return `Note: the environment overrides the profile: unset ${set.join(', ')} to use it.`;
}

/** The secrets that a command sends or receives. */
interface Secrets {
  readonly hasKey: boolean;
  readonly sendsToken: boolean;
}

/**
 * Warns about secrets that travel to another machine unencrypted; undefined when none does.
 *
 * @param baseUrl a base URL that a client has accepted
 */
export function plainHttpNotice(
  baseUrl: string | URL,
  {hasKey, sendsToken}: Secrets,
): string | undefined {
  const url = new URL(baseUrl);
  const secrets = [hasKey && 'the API key', sendsToken && 'the activation token'].filter(Boolean);
  if (url.protocol !== 'http:' || isLoopback(url) || secrets.length === 0) return undefined;
  return `Warning: ${url.origin} is not encrypted: ${secrets.join(' and ')} can be read in transit. Use an https:// base URL if the service has one.`;
}

/** An API key needs a replacement in its last week; a short-lived one, in the last fifth of its life. */
const expiryNotice = {longest: 7 * day, share: 1 / 5} as const;

/** A notice that an API key expires soon or has expired, without a period; otherwise undefined. */
export function expiryText(
  {expiresAt, createdAt}: Partial<KeyReading> = {},
  now: number,
): string | undefined {
  if (expiresAt === undefined) return undefined;
  const left = expiresAt.getTime() - now;
  const life = createdAt ? expiresAt.getTime() - createdAt.getTime() : Number.POSITIVE_INFINITY;
  if (left > Math.min(expiryNotice.longest, life * expiryNotice.share)) return undefined;
  const expires = left > 0 ? 'expires' : 'expired';
  return `The API key ${expires} ${relativeTime(expiresAt, now)} (${exactTime(expiresAt)}): ask for a new one`;
}

export const sandboxNotice =
  'This service is for tests: its clock is virtual, and its connectors are not real.';

/** Notes that the service of a command is a sandbox. @param facts undefined before the first response */
export function noteSandbox(facts: ServiceFacts | undefined, io: Io): void {
  if (facts?.hasVirtualClock) io.note(sandboxNotice);
}
