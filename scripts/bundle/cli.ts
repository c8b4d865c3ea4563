import {plugins} from 'connectorctl:plugins';
import {dirname} from 'node:path';
import {main, execute as run} from '../../src/cli/process/run.js';
import {type RunningBuild, setRunningBuild} from '../../src/cli/version.js';
import * as errors from '../../src/errors.js';
import {BundledPlugin} from './plugin.js';

/**
 * The command line as one file. It passes oclif everything that oclif would otherwise search for on
 * disk: package.json, the manifest, the plugins and their commands.
 */

/** The other files of the bundle import the errors from here, so that each error has only one class. */
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

/** Runs the command line of this process until it exits. */
export function start(build: RunningBuild): Promise<never> {
  setRunningBuild(build);
  return main(options());
}

/** Runs a command line in this process, for tests. Returns the exit code. */
export function execute(argv: string[]): Promise<number> {
  return run(options(), argv);
}
