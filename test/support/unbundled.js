// The command line as single modules, which the bundle must not differ from.
import {fileURLToPath} from 'node:url';
import {main} from '../../build/cli/main.js';

await main({root: fileURLToPath(new URL('../..', import.meta.url))});
