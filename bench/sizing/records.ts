/** Prints, as JSON, the bytes of the heap that a record of each kind takes. Needs `--expose-gc`. */
import {newConnectorDefaults} from '../../src/domain/records.js';
import {hashSecret} from '../../src/domain/secret.js';
import {day} from '../../src/domain/time.js';
import {type Line, State} from '../../src/store/json-file/state.js';
import {connectorId} from '../fleet.js';

const count = 100_000;
const organization = 'default';
const at = Date.now();

/** As from a file: the texts of each record are its own. */
const kinds: Readonly<Record<string, (number: number) => Line>> = {
  connector: (number) => ({
    connectors: [
      {
        id: connectorId(number),
        organization,
        name: `connector-${number}`,
        keyHash: hashSecret(`key ${number}`),
        activatedAt: at + number,
        ...newConnectorDefaults,
        lastHeartbeatAt: at + number,
      },
    ],
  }),
  'unused token': (number) => ({
    tokens: [
      {
        hash: hashSecret(`token ${number}`),
        organization,
        description: null,
        createdAt: at,
        expiresAt: at + number,
        reissues: null,
        redemption: null,
      },
    ],
  }),
  'used token': (number) => ({closed: [[hashSecret(`token ${number}`), Math.floor(at / day)]]}),
};

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const bytes = Object.entries(kinds).map(([kind, make]) => {
  const state = new State();
  const before = heapUsed();
  for (let number = 0; number < count; number += 1) {
    state.apply(JSON.parse(JSON.stringify(make(number))) as Line);
  }
  const each = (heapUsed() - before) / count;
  // Used here, so that it is not collected before.
  return [kind, state.usage.bytes < 0 ? Number.NaN : each];
});
console.log(JSON.stringify(Object.fromEntries(bytes)));
