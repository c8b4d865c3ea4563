import {main} from '../../../../src/cli/process/run.js';

await main({root: import.meta.dirname});
