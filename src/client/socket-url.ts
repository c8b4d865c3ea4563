/** The longest path of a socket in bytes: `sun_path` without its final zero. Node.js 20 cuts a longer one. */
const longestPath = process.platform === 'linux' ? 107 : 103;

/** Whether a base URL names a Unix socket: `unix:/run/service.sock`, or `unix:/run/service.sock:/prefix`. */
export function isSocketUrl({protocol}: URL): boolean {
  return protocol === 'unix:';
}

/** The encoded path of the socket, and the path prefix of the service. */
function partsOf({pathname}: URL): {readonly path: string; readonly prefix: string} {
  const [, path = '', prefix = ''] = /^(.+?)(?::(\/.*)?)?$/.exec(pathname) ?? [];
  return {path, prefix: prefix.replace(/\/+$/, '')};
}

/** The path of the socket that a base URL names. */
export function socketPath(base: URL): string {
  return decodeURIComponent(partsOf(base).path);
}

/** The same URL in its one spelling: one slash after `unix:`, and none at the end. */
export function plainSocketUrl(base: URL): URL {
  const {path, prefix} = partsOf(base);
  return new URL(`unix:${path}${prefix === '' ? '' : `:${prefix}`}`);
}

/** What is wrong with a URL of a socket, after "The base URL of the service". */
export function socketUrlDefect(url: URL | undefined): string | undefined {
  if (url === undefined || url.host !== '' || !/^\/[^/]/.test(url.pathname)) {
    return 'names no absolute path of a socket';
  }
  if (url.search || url.hash) return 'must not have a query or a fragment';
  try {
    const path = socketPath(url);
    if (path.includes('\0')) return 'names a socket whose path has a zero byte';
    const isLong = Buffer.byteLength(path) > longestPath;
    return isLong ? `names a socket whose path is longer than ${longestPath} bytes` : undefined;
  } catch {
    return 'is not a URL: after each % there must be two hexadecimal digits';
  }
}

/** The base of the URLs that requests have: of a socket `http://localhost`, with the path prefix. */
export function requestBase(base: URL): URL {
  return isSocketUrl(base) ? new URL(`http://localhost${partsOf(base).prefix}`) : base;
}

/** The origin of a URL; of a socket the URL without the path prefix. */
export function originOf(url: URL): string {
  return isSocketUrl(url) ? `unix:${partsOf(url).path}` : url.origin;
}
