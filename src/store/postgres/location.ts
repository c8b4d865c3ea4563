import type {ConnectionOptions} from 'node:tls';
import {parse} from 'pg-connection-string';
import {errorMessage} from '../../system/system-error.js';
import {StoreError} from '../store.js';

/** libpq's modes, without those that fall back to an unencrypted connection. */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Hosts whose traffic stays on this machine, so that they need no TLS unless `sslmode` asks for it. */
const local = /^(\/|localhost$|127(\.\d+){3}$|::1$)/;

/** Placeholder for the host in a URL that omits it. */
const noHost = '-';

/** Parameters of a URL, each with libpq's environment variable. `pool_max_conns` is a parameter of pgx. */
const parameters: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  pool_max_conns: '',
};

export type PostgresLocation = ReturnType<typeof parseLocation>;

/**
 * Reads the URL of a database: of the primary, or of the proxy that finds it.
 *
 *     postgres://user:password@host:5432/database?sslmode=verify-full
 *
 * Parts that the URL omits come from libpq's environment variables, or else have defaults.
 *
 * @throws StoreError `misconfigured`, with a message that does not repeat the URL
 */
export function parseLocation(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  // libpq lets a URL omit the host behind a user or before a port, which WHATWG's rules forbid.
  const text = url.replace(/^(\w+:\/\/(?:[^/?#@]*@)?)(?=(?::\d*)?(?:[/?]|$))/, `$1${noHost}`);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  // A password that is not escaped must not be read as a host, and logged.
  if (parsed === undefined || parsed.hash !== '' || parsed.pathname.includes('@'))
    throw invalid('it does not have the form postgres://user@host:port/database');
  const {searchParams: settings} = parsed;
  for (const name of settings.keys()) {
    if (Object.hasOwn(parameters, name)) continue;
    throw invalid(`a parameter must be one of ${Object.keys(parameters).join(', ')}`);
  }
  const named = parsed.hostname === noHost ? '' : decode(parsed.hostname).replace(/^\[|\]$/g, '');
  // As in libpq, the parameter overrides the host of the authority.
  const asked = settings.get('host') || named;
  /** The environment variables that set what the URL omits, for messages. */
  const origins = new Map<string, string>();
  for (const [name, variable] of Object.entries(parameters)) {
    const value = environment[variable];
    if (!value || settings.has(name)) continue;
    settings.set(name, value);
    origins.set(name, variable);
  }
  const read = (name: string) => settings.get(name) ?? undefined;
  const number = (name: string, fallback: string) =>
    positive(origins.get(name) ?? name, read(name) ?? fallback);
  const host = asked || (read('host') ?? 'localhost');
  if (host.includes(','))
    throw invalid('it names several hosts; name the primary, or the proxy that finds it');
  const sslmode = read('sslmode') ?? (local.test(host) ? 'disable' : 'verify-full');
  if (!tlsModes.includes(sslmode))
    throw invalid(`${origins.get('sslmode') ?? 'sslmode'} must be one of ${tlsModes.join(', ')}`);
  settings.set('sslmode', sslmode);
  // `system` means the authorities that Node trusts, as without the parameter.
  settings.delete('sslrootcert', 'system');
  return {
    host,
    port: parsed.port
      ? positive('port', parsed.port)
      : positive('PGPORT', environment['PGPORT'] || '5432'),
    // If these are undefined, libpq's environment variables apply, and for the password also its file.
    user: decode(parsed.username) || undefined,
    password: decode(parsed.password) || undefined,
    database: decode(parsed.pathname.slice(1)) || undefined,
    /** Options for the server's command line, such as `-c search_path=connectors`. */
    options: read('options'),
    applicationName: read('application_name') ?? 'connectorctl',
    /** Time limit to get a connection, in milliseconds; at least `retryPeriod` applies. */
    connectTimeout: 1000 * number('connect_timeout', '3'),
    /** Maximum number of connections of this process. */
    poolSize: number('pool_max_conns', '10'),
    /** All parameters, including the paths of the TLS files. */
    settings,
  };
}

/** Describes a location for messages: server and database, without the login. */
export function describeLocation({host, port, database}: PostgresLocation): string {
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return database === undefined ? server : `${server}/${database}`;
}

/**
 * Reads the certificates that a location names.
 *
 * @returns TLS options of a connection, or false for none
 * @throws StoreError `misconfigured` when a file cannot be read, or verify-ca has no authority
 */
export function readTls({host, settings}: PostgresLocation): ConnectionOptions | false {
  // The server offers no TLS on a Unix socket.
  if (host.startsWith('/')) return false;
  try {
    const {ssl} = parse(`postgres://?${settings}`, {useLibpqCompat: true});
    return ssl as ConnectionOptions | false;
  } catch (cause) {
    const {path}: {path?: unknown} = Object(cause);
    const [name] = [...settings].find(([, value]) => value === path) ?? [];
    const reason = name && `The file of ${name} cannot be read: ${errorMessage(cause)}.`;
    const message = reason ?? 'sslmode=verify-ca needs the authority in sslrootcert.';
    throw new StoreError('misconfigured', message, {cause});
  }
}

function positive(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalid(`${name} is not a positive number`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign in it does not begin an escape such as %40');
  }
}

function invalid(why: string): StoreError {
  return new StoreError('misconfigured', `The location of the database cannot be read: ${why}.`);
}
