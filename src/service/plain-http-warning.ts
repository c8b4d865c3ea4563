import {isLoopback} from '../client/settings.js';

/** The secrets that a command sends or receives. */
interface Secrets {
  readonly hasKey: boolean;
  readonly sendsToken: boolean;
}

/**
 * Warns about secrets that travel to another machine unencrypted; undefined when none does.
 *
 * @param baseUrl one that a client has accepted
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
