// The command line as separate modules; the bundle must behave like it.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {main} from '../../build/cli/main.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pjson = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

// oclif looks for its plugins in `dependencies`; the published package has none.
await main({root, pjson: {...pjson, dependencies: pjson.devDependencies}});
