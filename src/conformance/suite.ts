/** The modules that the command `conformance` loads, as one file of the bundle. */

export {checks} from './checks/index.js';
export {reach, runChecks} from './run.js';
export {Session} from './session.js';
