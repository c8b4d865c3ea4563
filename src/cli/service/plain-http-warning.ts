import {isLoopback} from '../../client/settings.js';

/** What a command sends or gets that nobody else may read. */
interface Secrets {
  readonly hasKey: boolean;
  readonly sendsToken: boolean;
}

/**
 * Warns of secrets that go to another machine in the clear; undefined where none does.
 *
 * @param baseUrl one that a client has taken
 */
export function plainHttpNotice(
  baseUrl: string | URL,
  {hasKey, sendsToken}: Secrets,
): string | undefined {
  const url = new URL(baseUrl);
  const secrets = [hasKey && 'the API key', sendsToken && 'the activation token'].filter(Boolean);
  if (url.protocol !== 'http:' || isLoopback(url) || secrets.length === 0) return undefined;
  return `Warning: ${url.origin} is not encrypted: ${secrets.join(' and ')} can be read on the way. Use an https:// base URL if the service has one.`;
}
