import {plugins} from 'connectorctl:plugins';
import {dirname} from 'node:path';
import {main, execute as run} from '../../src/cli/main.js';
import * as errors from '../../src/errors.js';
import {BundledPlugin} from './plugin.js';

/**
 * The command line as one file: what oclif would look for on disk (package.json, the manifest, its
 * plugins and their commands) is handed to it.
 */

/** For the files beside this one: an error has one class, whichever file throws it. */
export {errors};

const root = dirname(__dirname);

function options() {
  const all = plugins.map((plugin, index) => new BundledPlugin(plugin, root, index === 0));
  return {
    root,
    pjson: plugins[0].pjson,
    plugins: new Map(all.map((plugin) => [plugin.name, plugin])),
    devPlugins: false,
  };
}

/** Runs the command line of this process to its end. */
export function start(): Promise<never> {
  return main(options());
}

/** Runs a command line in this process, for tests. Returns the exit code. */
export function execute(argv: string[]): Promise<number> {
  return run(options(), argv);
}
