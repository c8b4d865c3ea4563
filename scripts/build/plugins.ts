import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {OnResolveArgs, Plugin} from 'esbuild';
import {completionScripts} from '../../src/cli/completion/scripts.js';
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

/** Provides `connectorctl:plugins`, and the completion scripts, which are files elsewhere. */
export function oclifPlugin(): Plugin {
  return {
    name: 'oclif-plugins',
    setup(build) {
      build.onLoad({filter: /\/completion\/scripts\.ts$/}, () => ({
        contents: `export const completionScripts = ${JSON.stringify(completionScripts)};`,
      }));
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

/** Whether an import is that of the errors, of which each file uses the same, so that each error has only one class. */
function isErrors({path, resolveDir, kind}: OnResolveArgs): boolean {
  return kind !== 'entry-point' && join(resolveDir, path) === join(root, 'src', 'errors.js');
}

/** Makes the other files use the errors of the command line. */
export function sharedErrorsPlugin(): Plugin {
  return {
    name: 'shared-errors',
    setup(build) {
      build.onResolve({filter: /\/errors\.js$/}, (args) =>
        isErrors(args) ? {path: 'errors', namespace: 'shared'} : undefined,
      );
      build.onResolve({filter: /./, namespace: 'shared'}, ({path}) => ({path, external: true}));
      build.onLoad({filter: /./, namespace: 'shared'}, () => ({
        contents: "module.exports = require('./cli.cjs').errors;",
        resolveDir: root,
      }));
    },
  };
}

/** Makes the library use one file of errors, and load the service from the file of the bundle: see service.ts. */
export function libraryPlugin(): Plugin {
  return {
    name: 'library',
    setup(build) {
      build.onResolve({filter: /\/errors\.js$/}, (args) =>
        isErrors(args) ? {path: './errors.js', external: true} : undefined,
      );
      build.onResolve({filter: /^\.\/server\//}, ({path}) => ({
        path: path.slice('./'.length, -'.js'.length),
        namespace: 'service',
      }));
      build.onLoad({filter: /./, namespace: 'service'}, ({path}) => ({
        contents: `module.exports = require('./scripts/bundle/service.ts').modules['${path}'];`,
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
