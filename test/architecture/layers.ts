/** What an area of `src`, a directory or a module directly below it, may import of the other areas. */
export interface Area {
  /** Areas whose values and types it imports. */
  readonly values: readonly string[];
  /** Those of which it imports only types. */
  readonly types?: readonly string[];
  /** Those that it loads when they are needed, by `import()`, and never at start. */
  readonly dynamic?: readonly string[];
}

/**
 * Who may import whom. No command loads the service, a store or the conformance suite at start. Below an area, no
 * table is needed: its directories import each other in one direction.
 */
export const areas: Readonly<Record<string, Area>> = {
  'errors.ts': {values: []},
  'index.ts': {values: ['client', 'errors.ts'], types: ['domain']},
  contract: {values: []},
  domain: {values: [], types: ['contract']},
  system: {values: []},
  render: {values: ['domain'], types: ['client', 'contract', 'errors.ts']},
  client: {values: ['contract', 'domain', 'errors.ts', 'system']},
  conformance: {values: ['client', 'contract', 'domain', 'errors.ts', 'system']},
  store: {values: ['domain', 'system'], types: ['contract']},
  server: {values: ['contract', 'domain', 'errors.ts', 'render', 'store', 'system']},
  cli: {
    values: ['client', 'contract', 'domain', 'errors.ts', 'render', 'system'],
    types: ['conformance', 'server', 'store'],
    dynamic: ['server', 'store'],
  },
  commands: {
    values: ['cli', 'domain', 'errors.ts', 'render'],
    types: ['client'],
    dynamic: ['conformance', 'server', 'store'],
  },
};

/** The modules of Node that areas without input and output import. */
export const pureModules: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ['node:crypto', 'node:zlib'],
  render: [],
};

/** The directories, with those below them, that import each package. The commands all import `@oclif/core`. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  '@fastify/proxy-addr': ['server/net'],
  '@fastify/under-pressure': ['server/http'],
  '@inquirer/prompts': ['cli/terminal'],
  '@oclif/core': ['cli', 'commands'],
  chalk: ['render'],
  'cli-table3': ['render/table'],
  'csv-parse/sync': ['cli/terminal'],
  'csv-stringify/sync': ['render/formats'],
  fastify: ['server'],
  'fastest-levenshtein': ['cli/errors'],
  got: ['client/http', 'conformance'],
  hpagent: ['client'],
  'ipaddr.js': ['server/net', 'server/operations'],
  'lru-cache': ['server/operations', 'store/postgres'],
  ms: ['cli', 'domain'],
  'p-limit': ['server/operations', 'server/sandbox'],
  pg: ['store/postgres'],
  'pg-connection-string': ['store/postgres'],
  pino: ['server/observability'],
  'pino-pretty': ['server/observability'],
  'prom-client': ['server/observability'],
  'proxy-from-env': ['client'],
  'secure-json-parse': ['server/http'],
  'string-width': ['render'],
  ulid: ['domain'],
  yaml: ['render/formats'],
  'zod/mini': ['cli', 'contract', 'server', 'store/json-file', 'system'],
  'zod/v4/locales/en.js': ['server/http'],
};
