/** Where a package may be imported, and what it does better than code of our own. */
interface Dependency {
  /** Directories, with those below them, and files, below `src`. */
  readonly users: readonly string[];
  readonly purpose: string;
}

/** Every package that `src` imports. The table of ARCHITECTURE.md is generated from this one. */
export const packages: Readonly<Record<string, Dependency>> = {
  '@fastify/proxy-addr': {
    users: ['server/net'],
    purpose: 'the address of a caller behind trusted proxies',
  },
  '@fastify/under-pressure': {
    users: ['server/http'],
    purpose: '503 while the event loop is late',
  },
  '@inquirer/prompts': {
    users: ['terminal'],
    purpose: 'prompts that hide a token or key',
  },
  '@oclif/core': {
    users: [
      'admin',
      'cli',
      'commands',
      'conformance/command',
      'connector',
      'flags.ts',
      'sandbox',
      'serve',
      'service',
    ],
    purpose: 'commands, flags, help',
  },
  chalk: {
    users: ['terminal'],
    purpose: 'colors',
  },
  'cli-table3': {
    users: ['terminal/table'],
    purpose: 'small tables',
  },
  'csv-parse/sync': {
    users: ['terminal'],
    purpose: 'quotes, separators and line ends of other people’s CSV',
  },
  'csv-stringify/sync': {
    users: ['connector/fields'],
    purpose: 'CSV whose cells no spreadsheet evaluates',
  },
  fastify: {
    users: ['server'],
    purpose: 'routes, hooks and schemas of the service',
  },
  'fastest-levenshtein': {
    users: ['domain'],
    purpose: '“Did you mean …?”',
  },
  got: {
    users: ['client/http'],
    purpose: 'redirects, time limits and decompression of requests',
  },
  'ipaddr.js': {
    users: ['server/net', 'server/operations'],
    purpose: 'networks of IPv4 and IPv6',
  },
  'lru-cache': {
    users: ['server/operations', 'store/postgres'],
    purpose: 'counts per address and organization in bounded memory',
  },
  ms: {
    users: ['domain', 'flags.ts'],
    purpose: 'durations such as `90d`',
  },
  pg: {
    users: ['store/postgres'],
    purpose: 'the protocol of PostgreSQL',
  },
  'pg-connection-string': {
    users: ['store/postgres'],
    purpose: 'URLs of PostgreSQL as libpq reads them',
  },
  pgpass: {
    users: ['store/postgres'],
    purpose: 'the password file of libpq',
  },
  pino: {
    users: ['server/observability'],
    purpose: 'the log: JSON lines, levels, redaction',
  },
  'prom-client': {
    users: ['report/formats', 'server/observability'],
    purpose: 'the text format of Prometheus',
  },
  'string-width': {
    users: ['terminal'],
    purpose: 'the width of a text in a terminal',
  },
  ulid: {
    users: ['domain'],
    purpose: 'ids that sort by time',
  },
  'zod/mini': {
    users: [
      'connector',
      'contract',
      'domain/check',
      'report',
      'server',
      'service',
      'store/json-file',
      'system',
    ],
    purpose: 'schemas of requests and files; OpenAPI comes from them',
  },
  'zod/v4/locales/en.js': {
    users: ['server/http'],
    purpose: 'the messages of these schemas',
  },
};
