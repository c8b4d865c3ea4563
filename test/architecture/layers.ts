/**
 * What an area of `src` may import of the others. An area is a module or a directory directly below `src`, a directory of
 * `connector`, or `conformance/command`. Layers stand below the features. A feature imports layers and
 * shared parts, and of the other features only those named here: `enroll` and `run` activate, `monitor` checks.
 */
const base = ['domain', 'errors.ts'];
const layers = [...base, 'client', 'contract', 'system', 'terminal'];

export const areas: Readonly<Record<string, readonly string[]>> = {
  // Layers
  'errors.ts': [],
  contract: [],
  system: [],
  domain: ['contract', 'errors.ts'],
  client: [...base, 'contract', 'system'],
  'index.ts': [...base, 'client'],
  'sandbox.ts': [...base, 'server'],
  terminal: [...base, 'client', 'contract', 'system'],
  store: ['contract', 'domain', 'system'],
  server: [...base, 'contract', 'store', 'system', 'terminal'],
  // Shared parts of the features
  'flags.ts': [...base, 'terminal'],
  report: [...base, 'system', 'terminal'],
  service: [...layers, 'flags.ts'],
  connector: layers,
  'connector/credentials': [...base, 'client', 'system', 'terminal'],
  // Features
  'connector/activate': [
    ...base,
    'client',
    'connector/credentials',
    'flags.ts',
    'service',
    'terminal',
  ],
  'connector/check': [...layers, 'connector', 'flags.ts', 'report', 'service'],
  'connector/enroll': [...layers, 'connector/activate', 'connector/credentials', 'report'],
  'connector/list': ['errors.ts', 'client', 'connector', 'system', 'terminal'],
  'connector/monitor': [
    ...base,
    'client',
    'connector/check',
    'flags.ts',
    'report',
    'system',
    'terminal',
  ],
  'connector/run': [
    ...layers,
    'connector',
    'connector/activate',
    'connector/credentials',
    'flags.ts',
    'service',
  ],
  admin: [...base, 'connector', 'server', 'store', 'system', 'terminal'],
  // The commands of a sandbox are rows of one class, which is a command of the service: it stands on `cli`.
  sandbox: [
    'errors.ts',
    'client',
    'contract',
    'system',
    'terminal',
    'cli',
    'flags.ts',
    'server',
    'service',
  ],
  serve: ['contract', 'errors.ts', 'flags.ts', 'server', 'store', 'system', 'terminal'],
  conformance: [...base, 'client', 'contract'],
  'conformance/command': [
    ...base,
    'client',
    'contract',
    'system',
    'terminal',
    'conformance',
    'flags.ts',
    'report',
    'service',
  ],
  // What starts a command, and the commands
  cli: [...layers, 'flags.ts', 'report', 'service'],
  commands: [
    ...base,
    ...['admin', 'cli', 'client', 'conformance', 'conformance/command', 'connector'],
    ...[
      'connector/activate',
      'connector/check',
      'connector/enroll',
      'connector/list',
      'connector/monitor',
      'connector/run',
    ],
    ...[
      'flags.ts',
      'report',
      'sandbox',
      'serve',
      'server',
      'service',
      'store',
      'system',
      'terminal',
    ],
  ],
};

/** Areas that no other loads at start: their types are imported, their values by `import()`. */
export const lazyAreas = ['conformance', 'server', 'store'];

/** The directories, with those below them, that import each package. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  '@fastify/proxy-addr': ['server/net'],
  '@fastify/under-pressure': ['server/http'],
  '@inquirer/prompts': ['terminal'],
  '@oclif/core': [
    'cli',
    'commands',
    'conformance/command',
    'connector',
    'flags.ts',
    'sandbox',
    'serve',
    'service',
  ],
  chalk: ['terminal'],
  'cli-table3': ['terminal/table'],
  'csv-parse/sync': ['terminal'],
  'csv-stringify/sync': ['terminal/formats'],
  fastify: ['server'],
  'fastest-levenshtein': ['domain'],
  got: ['client/http', 'conformance'],
  hpagent: ['client'],
  'ipaddr.js': ['server/net', 'server/operations'],
  'lru-cache': ['server/operations', 'store/postgres'],
  ms: ['domain', 'flags.ts'],
  'p-limit': ['server/operations'],
  pg: ['store/postgres'],
  'pg-connection-string': ['store/postgres'],
  pino: ['server/observability'],
  'prom-client': ['server/observability'],
  'proxy-from-env': ['client'],
  'string-width': ['terminal'],
  ulid: ['domain'],
  yaml: ['terminal/formats'],
  'zod/mini': ['connector', 'contract', 'server', 'service', 'store/json-file', 'system'],
  'zod/v4/locales/en.js': ['server/http'],
};
