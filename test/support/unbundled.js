// The command line as single modules, which the bundle must not differ from.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {main} from '../../build/cli/main.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pjson = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

// oclif looks for its plugins among the dependencies; what ships has none.
await main({root, pjson: {...pjson, dependencies: pjson.devDependencies}});
