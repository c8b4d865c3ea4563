/**
 * A module that the bundle replaces in the imports of one package. The file in `scripts/bundle/alias`
 * says why. An alias that replaces nothing fails the build.
 */
export interface Alias {
  /** The imported module: its name, or the last part of its path. */
  readonly module: string;
  /** The package whose imports are replaced. */
  readonly importer: string;
  /** The file in `scripts/bundle/alias`. */
  readonly by: string;
}

/** The importer that stands for the project's own sources. */
export const ownSources = 'connectorctl';

export const aliases: readonly Alias[] = [
  {module: '@oclif/core', importer: ownSources, by: 'oclif-core.cjs'},
  {module: '@oclif/core', importer: '@oclif/plugin-help', by: 'oclif-core.cjs'},
  {module: 'ejs', importer: '@oclif/core', by: 'oclif-ejs.cjs'},
  {module: 'wrap-ansi', importer: '@oclif/core', by: 'oclif-wrap-ansi.cjs'},
  {module: '/config/plugin', importer: '@oclif/core', by: 'absent.ts'},
  {module: '/module-loader', importer: '@oclif/core', by: 'oclif-module-loader.ts'},
  {module: '/ts-path', importer: '@oclif/core', by: 'oclif-ts-path.ts'},
  {module: '/ux/action/spinner', importer: '@oclif/core', by: 'oclif-spinner.ts'},
  {module: '/util/fs', importer: '@oclif/core', by: 'oclif-fs.ts'},
  {module: '/util/os', importer: '@oclif/core', by: 'oclif-os.ts'},
  {module: 'http2-wrapper', importer: 'got', by: 'absent.ts'},
  {module: 'cacheable-lookup', importer: 'got', by: 'absent.ts'},
  {module: 'cacheable-request', importer: 'got', by: 'absent.ts'},
  {module: 'decompress-response', importer: 'got', by: 'got-decompress-response.ts'},
  {module: '/diagnostics-channel.js', importer: 'got', by: 'got-diagnostics-channel.ts'},
  {module: 'node:tls', importer: 'got', by: 'got-tls.ts'},
];

/** Modules of Node that take milliseconds to load and that many runs do not use: loaded on first use. */
export const lazyModules: readonly string[] = [
  'child_process',
  'crypto',
  'fs/promises',
  'https',
  'perf_hooks',
  'readline',
  'stream/consumers',
  'timers/promises',
  'tls',
  'zlib',
];

/** CommonJS packages that one package loads at start but uses only for help and errors. */
export const lazyPackages = {
  importer: '@oclif/core',
  modules: ['ansis', 'clean-stack', 'indent-string', 'minimatch', 'string-width', 'widest-line'],
} as const;
