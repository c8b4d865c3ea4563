// The command line as single modules, which the bundle must not differ from.
import {main} from '../../build/cli/main.js';

await main(import.meta.url);
