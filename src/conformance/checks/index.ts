import {type Check, checksOf, sectionOf} from '../model.js';
import {activateChecks} from './activate.js';
import {createTokenChecks} from './create-token.js';
import {getChecks} from './get.js';
import {heartbeatChecks} from './heartbeat.js';
import {httpChecks} from './http.js';
import {listChecks} from './list.js';
import {openChecks} from './open-points.js';
import {refusalChecks} from './refusals.js';
import {responseChecks} from './responses.js';

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
