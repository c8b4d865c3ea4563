import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {type BuildOptions, build, type Metafile} from 'esbuild';
import {commandIds} from './oclif-plugins.js';
import {
  aliasPlugin,
  asciiPlugin,
  besidePlugin,
  lazyModulesPlugin,
  oclifPlugin,
  sharedErrorsPlugin,
} from './plugins.js';
import {root} from './root.js';

/**
 * Files beside the command line, with the modules below `src` that are in them. They are imported
 * dynamically, so that a run which does not need them neither reads nor holds them.
 */
const beside: Readonly<Record<string, readonly string[]>> = {
  'csv.cjs': ['render/csv'],
  'json-stream.cjs': ['client/json-stream'],
  'prompts.cjs': ['cli/inquirer'],
  'server.cjs': ['server/serve', 'server/logger', 'server/keyring', 'store/open'],
  'yaml.cjs': ['render/yaml'],
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
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  // oclif reads a TypeScript configuration in development only.
  external: ['typescript'],
} satisfies BuildOptions;

const commonJs = {
  ...common,
  format: 'cjs',
  // All that is imported dynamically is in the bundle or beside it.
  supported: {'dynamic-import': false},
} satisfies BuildOptions;

async function bundle(options: BuildOptions): Promise<Metafile> {
  const {metafile, warnings} = await build(options);
  if (metafile === undefined || warnings.length > 0) throw new Error('esbuild had warnings');
  return metafile;
}

/** The command line, without what is beside it. */
function buildCli(folder: string): Promise<Metafile> {
  return bundle({
    ...commonJs,
    entryPoints: ['src/bundle/cli.ts'],
    outfile: join(folder, 'cli.cjs'),
    define: {'Intl.ListFormat': 'LazyListFormat', 'performance.now': 'monotonicNow'},
    inject: ['src/bundle/alias/list-format.ts', 'src/bundle/alias/monotonic-now.ts'],
    plugins: [
      oclifPlugin(),
      aliasPlugin(),
      besidePlugin(fileOfModule),
      lazyModulesPlugin(),
      asciiPlugin(['ansis']),
    ],
  });
}

function buildBeside(folder: string, file: string, modules: readonly string[]): Promise<Metafile> {
  const members = modules.map(
    (module) => `get '${module}'() {return require('./src/${module}.ts')}`,
  );
  return bundle({
    ...commonJs,
    stdin: {contents: `module.exports = {${members.join()}};`, resolveDir: root, sourcefile: file},
    outfile: join(folder, file),
    plugins: [sharedErrorsPlugin()],
  });
}

/** The first file that runs. @param built names the build, so that its caches are told from others */
function buildStart(folder: string, built: string): Promise<Metafile> {
  return bundle({
    ...commonJs,
    entryPoints: ['src/bundle/start.ts'],
    outfile: join(folder, 'start.cjs'),
    define: {BUILD: JSON.stringify(built), COMMANDS: JSON.stringify(commandIds())},
  });
}

/** Builds the command line into a folder. Returns what went into each of its files. */
export async function buildBundle(folder: string): Promise<Metafile[]> {
  const files = await Promise.all([
    buildCli(folder),
    ...Object.entries(beside).map(([file, modules]) => buildBeside(folder, file, modules)),
  ]);
  const names = ['cli.cjs', ...Object.keys(beside)];
  return [...files, await buildStart(folder, identify(names.map((name) => join(folder, name))))];
}

/** A name for these files by their content. @throws when one is not ASCII, as which they are read */
function identify(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    if (/[^\0-\x7f]/.test(text)) throw new Error(`${file} is not ASCII: see asciiPlugin`);
    hash.update(text);
  }
  return hash.digest('hex').slice(0, 12);
}
