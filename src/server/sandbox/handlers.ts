import type {SandboxStatus} from '../../contract/sandbox.js';
import {statusBounds} from '../../domain/liveness.js';
import {timestamp} from '../../domain/timestamp.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';
import {storeAdmin} from '../keys/admin.js';
import type {Runtime} from '../runtime.js';
import type {VirtualClock} from './clock.js';
import type {ControlHandlers} from './control.js';
import type {Faults} from './faults.js';
import {createFleet, namesOf} from './fleet.js';
import type {Journal} from './journal.js';
import {randomStream} from './random.js';
import {FaultSpecError} from './spec.js';
import {createTokens} from './tokens.js';

/** What the control routes read and change. */
interface SandboxParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly runtime: Runtime;
  /** Restores the store, the faults and the journal of a new sandbox. */
  readonly reset: () => Promise<void>;
}

/** The latest time with a four-digit year, which ids can also represent. */
const latestTime = Date.UTC(9990, 0, 1);

const defaultOrganization = 'default';

/** The handlers of the control routes. */
export function controlHandlers(parts: SandboxParts, context: Context): ControlHandlers {
  const {seed, clock, faults, journal, runtime, reset} = parts;
  const fleetRandom = randomStream(seed, 'fleet');
  let fleetSize = 0;
  const status = () => statusOf(parts, context);
  const listRequests = () => ({total: journal.total, requests: journal.list()});
  const inTurn = oneByOne();
  const admin = storeAdmin(context.store, context.log, {runtime});
  return {
    status,
    advance({seconds}) {
      if (clock.now() + seconds * 1000 > latestTime) {
        throw refused('/seconds', 'must not lead beyond the year 9990');
      }
      clock.advance(seconds * 1000);
      // Expiry, liveness and faults are computed from the current time when they are read; no timers.
      return status();
    },
    addFault({spec}) {
      try {
        return faults.add(spec);
      } catch (error) {
        if (error instanceof FaultSpecError) throw refused('/spec', error.message);
        throw error;
      }
    },
    listFaults: () => ({faults: faults.list()}),
    clearFaults() {
      faults.clear();
      return {faults: []};
    },
    removeFault(_, {id}) {
      if (!faults.remove(Number(id))) throw refused('/id', 'is no fault of this sandbox');
      return {faults: faults.list()};
    },
    createFleet: (body) =>
      inTurn(async () => {
        const {names, organization = defaultOrganization} = body;
        const fleet = await createFleet(
          context,
          {...body, organization, names: names ?? namesOf(fleetSize, body.count ?? 0)},
          fleetRandom,
        );
        if (names === undefined) fleetSize += body.count ?? 0;
        return fleet;
      }),
    createTokens: ({organization = defaultOrganization}) =>
      inTurn(() => createTokens(context, organization)),
    async createKey({organization = defaultOrganization}) {
      const key = {organization, description: 'Made by the sandbox', expiresAt: null};
      const {record, secret} = await admin.create(key);
      return {id: record.id, organization: record.organization, api_key: secret};
    },
    listRequests,
    clearRequests() {
      const removed = listRequests();
      journal.clear();
      return removed;
    },
    reset: () =>
      inTurn(async () => {
        await reset();
        fleetSize = 0;
        return status();
      }),
  };
}

/** Carries out pieces of work one after the other: a reset in the middle of a fleet would leave half of it. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

async function statusOf(
  {seed, clock, faults, journal}: SandboxParts,
  {store, heartbeatInterval}: Context,
): Promise<SandboxStatus> {
  const {connectors} = await store.measure(statusBounds(clock.now(), heartbeatInterval));
  return {
    clock: clock.mode,
    rate: clock.rate,
    now: timestamp(clock.now()),
    started_at: timestamp(clock.startedAt),
    seed,
    heartbeat_interval_seconds: heartbeatInterval,
    connectors: {...connectors},
    faults: faults.list().length,
    requests: journal.total,
  };
}

function refused(path: string, message: string): ProblemError {
  return new ProblemError('request_invalid', {
    detail: 'The body was refused.',
    errors: [{path, message}],
  });
}
