import {BlockList, isIP} from 'node:net';
import {ClientError} from './messages.js';
import {isLoopback} from './settings.js';

/** The route through an HTTP proxy that the environment names. */
export interface ProxyRoute {
  /** May hold a user name and a password, so messages show only its origin. */
  readonly url: URL;
  /** The environment variable that names the proxy. */
  readonly variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL: HTTP_PROXY or HTTPS_PROXY by its scheme, else ALL_PROXY, unless NO_PROXY names the host. As in
 * curl, a lower-case name takes precedence. Requests to this machine use no proxy. No package is used, because most
 * read no networks in NO_PROXY, unlike curl.
 *
 * @throws AppError of kind `usage` for a value that is not the URL of a proxy; the message omits the value
 */
export function proxyFor(url: URL, env: Environment = process.env): ProxyRoute | undefined {
  if (isLoopback(url)) return undefined;
  const variable = variableFor(url, env);
  const excluded = env[variableOf(env, 'no_proxy') ?? ''] ?? '';
  if (variable === undefined || isExcluded(url, excluded)) return undefined;
  const proxy = readProxyUrl(env[variable] ?? '');
  if (typeof proxy !== 'string') return {url: proxy, variable};
  const details = {proxyVariable: variable};
  throw new ClientError('usage', `The proxy in ${variable} ${proxy}`, 'proxy-invalid', {details});
}

/**
 * The reason that a request uses no proxy although a variable names one, as the end of a sentence. Undefined without
 * such a variable, and for a URL of this machine, which never needs a proxy.
 */
export function whyDirect(url: URL, env: Environment = process.env): string | undefined {
  if (isLoopback(url)) return undefined;
  if (variableFor(url, env)) return `${variableOf(env, 'no_proxy')} excludes ${url.hostname}`;
  const other = variableOf(env, 'http_proxy') ?? variableOf(env, 'https_proxy');
  return other && `${other} is not for ${url.protocol}//`;
}

const variableFor = ({protocol}: URL, env: Environment) =>
  variableOf(env, protocol.replace(':', '_proxy')) ?? variableOf(env, 'all_proxy');

/** The spelling of a variable, in lower or upper case, that has a value; undefined if neither has one. */
function variableOf(env: Environment, name: string): string | undefined {
  // In a CGI program HTTP_PROXY is the header `Proxy` of a request (https://httpoxy.org).
  const isHeader = name === 'http_proxy' && env['REQUEST_METHOD'] !== undefined;
  return [name, ...(isHeader ? [] : [name.toUpperCase()])].find((each) => env[each]);
}

/** Parses the URL of a proxy, or returns its defect as a string. As in curl and Go, the default scheme is http. */
function readProxyUrl(text: string): URL | string {
  const [scheme, rest] = /^(\w+):\/\/(.*)$/s.exec(text)?.slice(1) ?? ['http', text];
  if (!/^https?$/i.test(scheme ?? '')) return 'is not http or https';
  // At `/`, `\`, `#` or `?` a URL parser ends the host, and takes the user name for it. The others are mistakes.
  const [character] = /^["']|[\\/#?\s]|%(?![\da-f]{2})/i.exec(rest?.replace(/\/$/, '') ?? '') ?? [];
  if (character !== undefined) {
    const escaped = `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    return `has the character ${JSON.stringify(character)}: remove it, or in a user name or password write ${escaped}`;
  }
  const url = `${scheme}://${rest}`;
  return URL.canParse(url) ? new URL(url) : 'is not a URL';
}

/** Whether NO_PROXY, a list separated by commas or white space, names the host of a URL. */
function isExcluded({protocol, hostname, port}: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    const form = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry);
    const [, name = entry, entryPort = ownPort] = form ?? [];
    return entryPort === ownPort && isNamed(host, name.toLowerCase());
  });
}

/** Whether an entry of NO_PROXY, without its port, is `*`, the host, a parent domain, or a network around it. */
function isNamed(host: string, entry: string): boolean {
  if (entry === '*') return true;
  const family = isIP(host);
  if (family === 0) {
    const domain = entry.replace(/^\*?\.|\.$/g, '');
    return domain !== '' && `.${host}`.endsWith(`.${domain}`);
  }
  const most = family === 4 ? 32 : 128;
  const [network = '', bits = String(most)] = entry.replace(/[[\]]/g, '').split('/');
  if (isIP(network) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false;
  const block = new BlockList();
  block.addSubnet(network, Number(bits), `ipv${family === 4 ? 4 : 6}`);
  return block.check(host, `ipv${family === 4 ? 4 : 6}`);
}
