/** What the command `conformance` loads, as one file of the bundle. */

export {checks, sectionOf} from './checks/index.js';
export {sections} from './model.js';
export {CannotTell} from './outcome.js';
export {Probe} from './probe.js';
export {keyVariables} from './requests.js';
export {reach, runChecks} from './run.js';
export {Session} from './session.js';
