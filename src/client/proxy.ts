import type {Agents} from 'got';
import {ClientError} from './messages.js';
import {plainUrl} from './redact.js';
import {isLoopback} from './settings.js';

/** The route to a service through an HTTP proxy. */
export interface ProxyRoute {
  readonly agent: Agents;
  /** The proxy's address, without user name and password. */
  readonly address: string;
  /** The environment variable that names the proxy. */
  readonly variable: string;
}

/**
 * The proxy that the environment names for a URL: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY,
 * in upper or lower case. Requests to this machine never use one. The agent opens a tunnel (CONNECT,
 * RFC 9110 §9.3.6) for http and https alike. It is loaded only for a URL that has a proxy.
 *
 * @param timeout milliseconds that the proxy may take to open a tunnel
 * @throws AppError of kind `usage` for a proxy that is not http or https.
 */
export async function proxyFor(url: URL, timeout: number): Promise<ProxyRoute | undefined> {
  const configured = Object.keys(process.env).some((name) => /^(https?|all)_proxy$/i.test(name));
  if (!configured || isLoopback(url)) return undefined;
  const {getProxyForUrl} = await import('proxy-from-env');
  const address = getProxyForUrl(url.href);
  if (address === '') return undefined;
  const variable = variableFor(url);
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol !== 'http:' && proxy?.protocol !== 'https:') {
    const message = 'The proxy that the environment names is not http or https';
    throw new ClientError('usage', message, 'proxy-invalid', {details: {proxyVariable: variable}});
  }
  const {HttpProxyAgent, HttpsProxyAgent} = (await import('hpagent')).default;
  const options = {proxy, timeout, keepAlive: true};
  const agent = {http: new HttpProxyAgent(options), https: new HttpsProxyAgent(options)};
  return {agent, address: plainUrl(proxy), variable};
}

/** The variable that `getProxyForUrl` reads: lower case first, and that of the scheme before `all_proxy`. */
function variableFor({protocol}: URL): string {
  const names = [`${protocol.slice(0, -1)}_proxy`, 'all_proxy'];
  const variables = names.flatMap((name) => [name, name.toUpperCase()]);
  return variables.find((name) => process.env[name]) ?? 'HTTPS_PROXY';
}
