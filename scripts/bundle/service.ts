import {readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Script} from 'node:vm';
import * as errors from '../../src/errors.js';

/** Loads the file of the bundle that has the service, for a program that imports the library. */

const filename = fileURLToPath(new URL('./server.cjs', import.meta.url));
const module = {exports: {}};

/** The service throws the errors of the library, so that each error has only one class. */
const load = (name: string): unknown => (name === './cli.cjs' ? {errors} : require(name));

new Script(readFileSync(filename, 'latin1'), {filename}).runInThisContext()(
  ...[module.exports, load, module, filename, dirname(filename)],
);

/** Its modules, by their paths below `src`. */
export const modules: Readonly<Record<string, unknown>> = module.exports;
