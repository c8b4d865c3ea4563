import {StoreError} from '../../store.js';

/**
 * The location of a database, in the format of libpq's connection URIs (PostgreSQL documentation §34.1.1.2):
 *
 *     postgres://user:password@host1:5432,host2:5432/database?sslmode=verify-full
 *
 * Parts that the URL omits come from libpq's environment variables, and then from its defaults.
 */

/** TLS mode, with libpq's names; `allow` means `prefer`. */
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof tlsModes)[number];

/** One server of the database. A host that begins with `/` is the directory of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** A database, its servers, and the login. The driver has defaults for undefined fields. */
export interface PostgresLocation {
  /** One or more; the store uses one that accepts writes. */
  readonly hosts: readonly Host[];
  /** Whether a process tries the hosts from any of them on, and not from the first. */
  readonly startsAnywhere: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly tls: {
    readonly mode: TlsMode;
    /** Paths of PEM files. `system`, or no path, means the authorities that Node trusts. */
    readonly authorities: string | undefined;
    readonly certificate: string | undefined;
    readonly key: string | undefined;
  };
  /** Timeout of one attempt to connect, in milliseconds. */
  readonly connectTimeout: number;
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  readonly applicationName: string;
  /** Options for the server's command line, such as `-c search_path=connectors`. */
  readonly options: string | undefined;
}

const defaults = {host: 'localhost', port: '5432', connectSeconds: '3', poolSize: '10'} as const;
const applicationName = 'connectorctl';

/** The parameters that a URL may contain. All but the last are libpq's; `pool_max_conns` is pgx's. */
const parameterNames = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
  'load_balance_hosts',
  'connect_timeout',
  'application_name',
  'options',
  'pool_max_conns',
] as const;
type Parameter = (typeof parameterNames)[number];
type Parameters = Partial<Record<Parameter, string>>;

/** Former parameters, and what a user of one should do. */
const retired: Readonly<Record<string, string>> = {
  citus_workers:
    'citus_workers no longer exists; name several nodes of the cluster as hosts instead',
};

/** The store always writes, so all three mean a server that accepts writes. */
const sessionAttributes = ['any', 'read-write', 'primary'] as const;

/** libpq's names (PostgreSQL 16); its default is `disable`. */
const hostOrders = ['random', 'disable'] as const;

/** An unescaped at sign must end the login; otherwise part of a password could be read as a host, and logged. */
const form =
  /^postgres(?:ql)?:\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]*)(?:\/(?<database>[^@?#]*))?(?:\?(?<query>[^#]*))?$/i;

/**
 * Reads the URL of a database.
 *
 * @throws StoreError `misconfigured`, with a message that does not repeat the URL
 */
export function parseLocation(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): PostgresLocation {
  const parts = form.exec(url)?.groups;
  if (parts === undefined)
    throw invalid('it does not have the form postgres://user@host:port/database');
  const given = parseParameters(parts['query'] ?? '');
  const [user, password] = parseLogin(parts['login'] ?? '');
  choose('target_session_attrs', given.target_session_attrs ?? 'any', sessionAttributes);
  return {
    startsAnywhere:
      choose('load_balance_hosts', given.load_balance_hosts ?? 'random', hostOrders) === 'random',
    hosts: parseHosts(parts['hosts'] ?? '', given, environment),
    user: given.user ?? user,
    password: given.password ?? password,
    database: given.dbname ?? (decode(parts['database'] ?? '') || undefined),
    tls: {
      mode: choose('sslmode', given.sslmode ?? environment['PGSSLMODE'] ?? 'prefer', tlsModes),
      authorities: given.sslrootcert ?? environment['PGSSLROOTCERT'],
      certificate: given.sslcert ?? environment['PGSSLCERT'],
      key: given.sslkey ?? environment['PGSSLKEY'],
    },
    connectTimeout:
      1000 *
      positive(
        'connect_timeout',
        given.connect_timeout ?? environment['PGCONNECT_TIMEOUT'] ?? defaults.connectSeconds,
      ),
    poolSize: positive('pool_max_conns', given.pool_max_conns ?? defaults.poolSize),
    applicationName: given.application_name ?? environment['PGAPPNAME'] ?? applicationName,
    options: given.options,
  };
}

/** Describes a location for a log: servers and database, without the login. */
export function describeLocation({hosts, database}: PostgresLocation): string {
  const servers = hosts.map(describeHost).join(',');
  return database === undefined ? servers : `${servers}/${database}`;
}

/** Describes a server for a log. */
export function describeHost({host, port}: Host): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseParameters(query: string): Parameters {
  const parameters: Parameters = {};
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const at = pair.indexOf('=');
    if (at < 0) throw invalid('a parameter after the question mark has no value');
    const name = decode(pair.slice(0, at));
    const advice = Object.hasOwn(retired, name) ? retired[name] : undefined;
    if (advice !== undefined) throw invalid(advice);
    parameters[choose('parameter', name, parameterNames)] = decode(pair.slice(at + 1));
  }
  return parameters;
}

function parseLogin(login: string): [user: string | undefined, password: string | undefined] {
  const at = login.indexOf(':');
  if (at < 0) return [decode(login) || undefined, undefined];
  return [decode(login.slice(0, at)) || undefined, decode(login.slice(at + 1)) || undefined];
}

function parseHosts(
  authority: string,
  given: Parameters,
  environment: Readonly<Record<string, string | undefined>>,
): Host[] {
  const pairs = authority.split(',').map(splitHost);
  const named = pairs.some(({host}) => host !== '');
  const hosts =
    given.host?.split(',') ??
    (named ? pairs.map(({host}) => host) : environment['PGHOST']?.split(',')) ??
    pairs.map(() => '');
  const ports = given.port?.split(',') ??
    (pairs.some(({port}) => port !== '') ? pairs.map(({port}) => port) : undefined) ??
    environment['PGPORT']?.split(',') ?? [''];
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw invalid(`it names ${ports.length} ports for ${hosts.length} hosts`);
  }
  return hosts.map((host, index) => ({
    host: host || defaults.host,
    port: parsePort((ports.length === 1 ? ports[0] : ports[index]) || defaults.port),
  }));
}

/** Splits `host:port` and `[::1]:port`. A missing port is an empty string. */
function splitHost(text: string): {host: string; port: string} {
  const parts = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d*))?$/.exec(text)?.groups;
  if (parts === undefined) throw invalid('a host does not have the form name:port');
  return {host: parts['v6'] ?? decode(parts['name'] ?? ''), port: parts['port'] ?? ''};
}

function parsePort(text: string): number {
  const port = positive('port', text);
  if (port > 65535) throw invalid('a port is above 65535');
  return port;
}

function positive(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalid(`${name} is not a positive number`);
}

function choose<const Choice extends string>(
  name: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  throw invalid(`${name} must be one of ${choices.join(', ')}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign in it does not begin an escape such as %40');
  }
}

function invalid(why: string): StoreError {
  return new StoreError('misconfigured', `The URL of the database cannot be read: ${why}.`);
}
