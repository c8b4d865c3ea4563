import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {type OnResolveArgs, type Plugin, transform} from 'esbuild';
import {type Alias, aliases, lazyModules, lazyPackages, ownSources} from './aliases.js';
import {pluginModule} from './oclif-plugins.js';
import {root} from './root.js';

const aliasDirectory = join(root, 'scripts', 'bundle', 'alias');

/** The package of a file; `ownSources` for the project's own files. */
function packageOf(file: string): string {
  const below = file.split('/node_modules/').at(-1) ?? '';
  if (below === file) return ownSources;
  return below.split('/', below.startsWith('@') ? 2 : 1).join('/');
}

/** The target of an import: a module's name, or the absolute path of a relative import. */
function target({path, resolveDir}: OnResolveArgs): string {
  return path.startsWith('.') ? join(resolveDir, path) : path;
}

function applies({module, importer}: Alias, args: OnResolveArgs): boolean {
  if (packageOf(args.importer) !== importer || dirname(args.importer) === aliasDirectory)
    return false;
  return module.startsWith('/') ? target(args).endsWith(module) : args.path === module;
}

/** Applies the aliases. @param unused the aliases that have replaced nothing yet */
export function aliasPlugin(unused: Set<Alias>): Plugin {
  return {
    name: 'aliases',
    setup(build) {
      build.onResolve({filter: /./}, (args) => {
        const alias = aliases.find((candidate) => applies(candidate, args));
        if (alias === undefined) return undefined;
        unused.delete(alias);
        return {path: join(aliasDirectory, alias.by)};
      });
      // Paths that their packages do not export, for aliases that re-export such a module.
      build.onResolve({filter: /^(got\/dist|@oclif\/core\/lib)\//}, ({path}) => ({
        path: join(root, 'node_modules', path),
      }));
    },
  };
}

/** Defers the loading of modules until they are used. */
export function lazyPlugin(): Plugin {
  const filter = new RegExp(`^(node:)?(${lazyModules.join('|')})$`);
  const packages = new RegExp(`^(${lazyPackages.modules.join('|')})$`);
  return {
    name: 'lazy',
    setup(build) {
      build.onResolve({filter: /./, namespace: 'lazy'}, ({path}) =>
        path.startsWith('node:') ? {path, external: true} : undefined,
      );
      build.onResolve({filter}, ({path}) => ({
        path: path.replace(/^(node:)?/, 'node:'),
        namespace: 'lazy',
      }));
      build.onResolve({filter: packages}, ({path, importer, resolveDir}) =>
        packageOf(importer) === lazyPackages.importer
          ? {path, namespace: 'lazy', pluginData: resolveDir}
          : undefined,
      );
      build.onLoad({filter: /./, namespace: 'lazy'}, ({path, pluginData}) => ({
        contents: lazyModule(path),
        resolveDir: pluginData,
      }));
    },
  };
}

/**
 * A module that replaces another. esbuild's import object inherits from the prototype of the module: as
 * this module is its own prototype, every access to a member reaches the proxy.
 */
function lazyModule(name: string): string {
  return `const load = () => require('${name}');
const lazy = new Proxy(() => {}, {
  apply: (_, self, values) => load().apply(self, values),
  get: (_, member) => (member === '__esModule' ? undefined : load()[member]),
  getPrototypeOf: () => lazy,
});
module.exports = lazy;`;
}

/** Provides `connectorctl:plugins`. */
export function oclifPlugin(): Plugin {
  return {
    name: 'oclif-plugins',
    setup(build) {
      build.onResolve({filter: /^connectorctl:plugins$/}, ({path}) => ({path, namespace: 'oclif'}));
      build.onLoad({filter: /./, namespace: 'oclif'}, () => ({
        contents: pluginModule(),
        resolveDir: root,
      }));
    },
  };
}

/**
 * Keeps dynamically imported modules out of a file of the bundle, since another file contains them.
 *
 * @param files the names of these files, by the package or the path of the module below `src`
 */
export function besidePlugin(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'beside',
    setup(build) {
      build.onResolve({filter: /./}, (args) => {
        const {path, kind} = args;
        const own = target(args).slice(join(root, 'src/').length).replace(/\.js$/, '');
        const module = path.startsWith('.') ? own : path;
        if (kind !== 'dynamic-import' || !files.has(module)) return undefined;
        return {path: module, namespace: 'beside'};
      });
      build.onResolve({filter: /./, namespace: 'beside'}, ({path}) => ({path, external: true}));
      build.onLoad({filter: /./, namespace: 'beside'}, ({path}) => ({
        contents: `module.exports = require('./${files.get(path)}')['${path}'];`,
        resolveDir: root,
      }));
    },
  };
}

/** Makes the other files use the errors of the command line, so that each error has only one class. */
export function sharedErrorsPlugin(): Plugin {
  return {
    name: 'shared-errors',
    setup(build) {
      build.onResolve({filter: /\/errors\.js$/}, ({path, resolveDir}) =>
        join(resolveDir, path) === join(root, 'src', 'errors.js')
          ? {path: 'errors', namespace: 'shared'}
          : undefined,
      );
      build.onResolve({filter: /./, namespace: 'shared'}, ({path}) => ({path, external: true}));
      build.onLoad({filter: /./, namespace: 'shared'}, () => ({
        contents: "module.exports = require('./cli.cjs').errors;",
        resolveDir: root,
      }));
    },
  };
}

/**
 * Escapes non-ASCII characters in these packages. esbuild does so except in regular expressions. One such
 * character in a file doubles the memory and time that V8 needs for the file.
 */
export function asciiPlugin(packages: readonly string[]): Plugin {
  return {
    name: 'ascii',
    setup(build) {
      build.onLoad({filter: new RegExp(`/node_modules/(${packages.join('|')})/`)}, ({path}) => ({
        contents: readFileSync(path, 'utf8').replace(/[^\0-\x7f]/g, escapeUnit),
      }));
    },
  };
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** How esbuild begins a CommonJS module: its own helpers, then the exports. */
const head =
  /^(?:"use strict";\n)?(?:var __\w+ = [\s\S]*?;\n)+var (\w+_exports) = \{\};\n__export\(\1, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = __toCommonJS\(\1\);\n/;

/**
 * Modules that are not converted: esbuild leaves out of a package what no ECMAScript module imports, and the
 * helpers that a default import needs are among those that `commonJs` removes.
 */
const esModule =
  /^(?:import (?!type )[^;]*? from '(?![.]|node:|@oclif\/core)|import \w|import \* as|export \*)/m;

/**
 * Makes CommonJS of our own modules: esbuild puts each of those into its own function. The functions of other
 * modules it declares side by side, and each takes time in every run, used or not.
 */
export function ownModulesPlugin(): Plugin {
  return {
    name: 'own-modules',
    setup(build) {
      build.onResolve({filter: /^[./].*\.(js|ts)$/}, (args) => {
        const path = target(args).replace(/\.js$/, '.ts');
        if (args.kind === 'entry-point' || !path.startsWith(join(root, 'src/'))) return undefined;
        const text = readFileSync(path, 'utf8').replace(/^import type .*/gm, '');
        return esModule.test(text) ? {path} : {path, namespace: 'own'};
      });
      build.onLoad({filter: /./, namespace: 'own'}, async ({path}) => ({
        contents: await commonJs(path),
        resolveDir: dirname(path),
      }));
    },
  };
}

/** @throws if the module exports nothing, or esbuild writes CommonJS in another way than before */
async function commonJs(path: string): Promise<string> {
  const {code, map} = await transform(readFileSync(path, 'utf8'), {
    format: 'cjs',
    loader: 'ts',
    target: 'node20.19',
    sourcemap: 'external',
    sourcefile: relative(join(root, 'dist'), path),
  });
  const [start, , members = ''] = head.exec(code) ?? [];
  if (start === undefined) throw new Error(`esbuild made no CommonJS of ${path}`);
  // What follows repeats the names of the exports for Node.
  const body = code.slice(start.length).replace(/^\/\/ Annotate the CommonJS [\s\S]*/m, '');
  const exported = members.replaceAll(': () => ', ': ');
  const lines = start.split('\n').length - 1;
  const {mappings, ...rest} = JSON.parse(map);
  // The lines of the helpers are mapped to the position that the next one counts from.
  const moved = JSON.stringify({...rest, mappings: mappings.split(';').slice(lines).join(';')});
  return `${body}module.exports = {__esModule: true, ${exported}};
//# sourceMappingURL=data:application/json;base64,${Buffer.from(moved).toString('base64')}`;
}
