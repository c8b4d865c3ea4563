import {activateChecks} from './checks/activate.js';
import {createTokenChecks} from './checks/create-token.js';
import {getChecks} from './checks/get.js';
import {heartbeatChecks} from './checks/heartbeat.js';
import {httpChecks} from './checks/http.js';
import {listChecks} from './checks/list.js';
import {openChecks} from './checks/open-points.js';
import {refusalChecks} from './checks/refusals.js';
import {responseChecks} from './checks/responses.js';
import {type Check, checksOf, sectionOf} from './model.js';

// The modules that the command `conformance` loads, as one file of the bundle.
export {reach, runChecks} from './run.js';
export {Session} from './session.js';

const evaluated = {
  ...createTokenChecks,
  ...activateChecks,
  ...listChecks,
  ...getChecks,
  ...heartbeatChecks,
  ...refusalChecks,
  ...httpChecks,
  ...responseChecks,
};

/** Every check, by the sections of the interface; the open points come last, after all that is evaluated. */
export const checks: readonly Check[] = [evaluated, openChecks].flatMap((table) =>
  checksOf(table).toSorted((one, other) => sectionOf(one.id).localeCompare(sectionOf(other.id))),
);
