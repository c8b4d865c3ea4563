import {type Check, sectionOf} from '../model.js';
import {activateChecks} from './activate.js';
import {authenticationChecks} from './authentication.js';
import {createTokenChecks} from './create-token.js';
import {errorChecks} from './errors.js';
import {getChecks} from './get.js';
import {heartbeatChecks} from './heartbeat.js';
import {httpChecks} from './http.js';
import {listChecks} from './list.js';
import {openChecks} from './open.js';

const all = [
  ...createTokenChecks,
  ...activateChecks,
  ...listChecks,
  ...getChecks,
  ...heartbeatChecks,
  ...authenticationChecks,
  ...errorChecks,
  ...httpChecks,
];

/** Every check, by the sections of the interface; the open points come last, after all that is evaluated. */
export const checks: readonly Check[] = [all, openChecks].flatMap((group) =>
  group.toSorted((one, other) => sectionOf(one).localeCompare(sectionOf(other))),
);
