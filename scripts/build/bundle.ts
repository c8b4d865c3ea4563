import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {type BuildOptions, build, type Metafile, type Plugin} from 'esbuild';
import {type Alias, aliases} from './aliases.js';
import {readSource} from './commit.js';
import {commandIds} from './oclif-plugins.js';
import {
  aliasPlugin,
  asciiPlugin,
  besidePlugin,
  lazyPlugin,
  libraryPlugin,
  oclifPlugin,
  sharedErrorsPlugin,
} from './plugins.js';
import {root} from './root.js';

const serverFile = 'server.cjs';

/**
 * Files beside the command line, with the modules below `src` and the packages that they contain. They are
 * imported dynamically: a run that does not need them does not read them.
 */
const beside: Readonly<Record<string, readonly string[]>> = {
  'client.cjs': ['client/create-client'],
  'conformance.cjs': ['conformance/suite'],
  'csv.cjs': ['connector/fields/csv', 'csv-parse/sync'],
  'prometheus.cjs': ['report/formats/prometheus'],
  'prompts.cjs': ['terminal/inquirer'],
  [serverFile]: [
    'server/net/listener',
    'server/sandbox/start',
    'server/serve',
    'server/observability/logger',
    'server/control/open-admin',
    'server/admin/store-errors',
    'store/copy',
    'store/json-file/read',
    'store/open',
  ],
};

const fileOfModule = new Map(
  Object.entries(beside).flatMap(([file, modules]) => modules.map((module) => [module, file])),
);

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Beside the bundle and not in the package: see scripts/source-positions.ts.
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  // oclif reads a TypeScript configuration in development only.
  external: ['typescript'],
} satisfies BuildOptions;

/** CommonJS in a wrapper that a `Script` can run without copying the text; see loader.ts. */
const wrapped = {
  banner: {js: '(function (exports, require, module, __filename, __dirname) {'},
  footer: {js: '})'},
} satisfies BuildOptions;

const commonJs = {
  ...common,
  format: 'cjs',
  // All dynamic imports are in the bundle or beside it.
  supported: {'dynamic-import': false},
} satisfies BuildOptions;

async function bundle(options: BuildOptions): Promise<Metafile> {
  const {metafile, warnings} = await build(options);
  if (metafile === undefined || warnings.length > 0) throw new Error('esbuild had warnings');
  return metafile;
}

/** For files that any run may load: aliases, and modules of Node that are loaded on first use. */
const light = {
  // Not in the server, whose log contains the class names of errors.
  minifyIdentifiers: true,
  define: {'Intl.ListFormat': 'LazyListFormat', 'performance.now': 'monotonicNow'},
  inject: ['scripts/bundle/alias/list-format.ts', 'scripts/bundle/alias/monotonic-now.ts'],
};

/** @param unused the aliases that have replaced nothing yet */
function lightPlugins(unused: Set<Alias>): Plugin[] {
  return [
    oclifPlugin(),
    aliasPlugin(unused),
    besidePlugin(fileOfModule),
    lazyPlugin(),
    asciiPlugin(['ansis']),
  ];
}

/** The command line, without what is beside it. */
function buildCli(directory: string, unused: Set<Alias>): Promise<Metafile> {
  return bundle({
    ...commonJs,
    ...wrapped,
    ...light,
    entryPoints: ['scripts/bundle/cli.ts'],
    outfile: join(directory, 'cli.cjs'),
    plugins: lightPlugins(unused),
  });
}

/** A module below `src`, or a package. */
const sourceOf = (module: string) =>
  existsSync(join(root, 'src', `${module}.ts`)) ? `./src/${module}.ts` : module;

function buildBeside(directory: string, file: string, unused: Set<Alias>): Promise<Metafile> {
  const members = (beside[file] ?? []).map(
    (module) => `get '${module}'() {return require('${sourceOf(module)}')}`,
  );
  const isLight = file !== serverFile;
  return bundle({
    ...commonJs,
    ...wrapped,
    ...(isLight && light),
    stdin: {contents: `module.exports = {${members.join()}};`, resolveDir: root, sourcefile: file},
    outfile: join(directory, file),
    plugins: [sharedErrorsPlugin(), ...(isLight ? lightPlugins(unused) : [])],
  });
}

/**
 * An entry point from `scripts/bundle`.
 *
 * @param built identifies the build in the names of its caches
 */
export function buildStart(entry: string, outfile: string, built: string): Promise<Metafile> {
  return bundle({
    ...commonJs,
    entryPoints: [join('scripts', 'bundle', entry)],
    outfile,
    define: {
      BUILD: JSON.stringify(built),
      SOURCE: JSON.stringify(readSource(root, process.env)),
      COMMANDS: JSON.stringify(commandIds()),
    },
  });
}

/**
 * The library for `import … from 'connectorctl'` and `'connectorctl/sandbox'`: ECMAScript modules without imports of
 * packages, which share their errors; the sandbox loads the file with the service. Not minified: Node.js prints the
 * line of an uncaught error, and people read it in a debugger. That is also why they have no source map, which could
 * only name sources that are not in the package.
 */
export function buildLibrary(directory: string): Promise<Metafile> {
  return bundle({
    ...common,
    ...light,
    minifyIdentifiers: false,
    minifySyntax: false,
    minifyWhitespace: false,
    keepNames: true,
    sourcemap: false,
    format: 'esm',
    entryPoints: libraryFiles.map((name) => `src/${name}.ts`),
    outdir: directory,
    // For modules of Node that are loaded on first use, and for CommonJS inside.
    banner: {
      js: "import {createRequire} from 'node:module';const require = createRequire(import.meta.url);",
    },
    plugins: [libraryPlugin(), aliasPlugin(new Set()), lazyPlugin()],
  });
}

/**
 * Builds the command line into a directory. Returns a description of each file.
 *
 * @throws if an alias replaces nothing, and so is no longer needed
 */
export async function buildBundle(directory: string): Promise<Metafile[]> {
  const unused = new Set(aliases);
  const files = await Promise.all([
    buildCli(directory, unused),
    ...Object.keys(beside).map((file) => buildBeside(directory, file, unused)),
  ]);
  const idle = [...unused].map(({module, importer}) => `${module} in ${importer}`);
  if (idle.length > 0) throw new Error(`Nothing to replace: ${idle.join(', ')}`);
  return [
    ...files,
    await buildStart('start.ts', join(directory, 'start.cjs'), identify(directory)),
  ];
}

/** The modules of the library, in `src` and in the package. */
export const libraryFiles: readonly string[] = ['errors', 'index', 'sandbox'];

/** The files of the bundle, except for the entry point. */
export const bundleFiles: readonly string[] = ['cli.cjs', ...Object.keys(beside)];

/** Identifies a bundle by its content. @throws if a file is not ASCII: the loader reads them as Latin-1 */
export function identify(directory: string): string {
  const hash = createHash('sha256');
  for (const file of bundleFiles) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (/[^\0-\x7f]/.test(text)) throw new Error(`${file} is not ASCII: see asciiPlugin`);
    hash.update(text);
  }
  return hash.digest('hex').slice(0, 12);
}
