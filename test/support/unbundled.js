// The command line as separate modules; the bundle must behave like it.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {main} from '../../build/cli/main.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(`${root}/${name}`, 'utf8'));
const pjson = {...read('package.json'), oclif: read('.oclifrc.json')};

// oclif looks for its plugins in `dependencies`; the published package has none.
await main({root, pjson: {...pjson, dependencies: pjson.devDependencies}});
