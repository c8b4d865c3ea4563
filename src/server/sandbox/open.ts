import {randomInt} from 'node:crypto';
import pLimit from 'p-limit';
import {headers} from '../../contract/index.js';
import {createIdFactory} from '../../domain/ids.js';
import {secretBytes} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {Store, StoreOptions} from '../../store/store.js';
import {storeAdmin} from '../admin/admin.js';
import type {AppExtension} from '../app.js';
import type {Runtime} from '../runtime.js';
import {type ClockMode, VirtualClock} from './clock.js';
import {type ControlAccess, mountControl, sandboxDocument} from './control.js';
import {Faults} from './faults.js';
import {FleetNames} from './fleet.js';
import {injectFaults} from './inject.js';
import {Journal} from './journal.js';
import {fraction, randomStream, uuid} from './random.js';
import {FaultSpecError} from './spec.js';
import {openSandboxStore, type SandboxStore} from './store.js';

/** Options of a new sandbox. */
export interface SandboxOptions {
  /** Default: `frozen` with a seed and without a rate, else `running`. */
  readonly clock?: ClockMode | undefined;
  /** Virtual seconds per real second. Default: 1. */
  readonly rate?: number | undefined;
  /** Seed of all randomness. Default: random. */
  readonly seed?: number | undefined;
  /** Faults that are active from the start; see `parseFault`. */
  readonly faults?: readonly string[] | undefined;
  /** Default: only programs on this machine control it. */
  readonly control?: ControlAccess | undefined;
}

/** A sandbox that a service can run in. */
export interface Sandbox {
  readonly runtime: Runtime;
  readonly extension: AppExtension;
  openStore(options: StoreOptions): Promise<Store>;
  readonly seed: number;
  readonly clock: VirtualClock;
}

/** Start of a frozen clock with a seed: in the future, so that tokens are valid by the clocks of clients. */
const repeatableStart = Date.UTC(2030, 0, 1);

/** Upper limit of a random seed. */
const seedLimit = 2 ** 47;

/**
 * Creates a sandbox: a virtual clock, seeded randomness, faults, a journal, and a store in memory.
 *
 * @throws AppError of kind `usage` for an invalid fault
 */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const seed = options.seed ?? randomInt(seedLimit);
  const isRepeatable = options.seed !== undefined && options.rate === undefined;
  const mode = options.clock ?? (isRepeatable ? 'frozen' : 'running');
  const monotonic = () => performance.now();
  const clock = new VirtualClock({
    mode,
    rate: options.rate ?? 1,
    startedAt: options.seed !== undefined && mode === 'frozen' ? repeatableStart : Date.now(),
    monotonic,
  });
  const {now} = clock;
  const faults = new Faults(seed, now);
  addFirstFaults(faults, options.faults);
  const journal = new Journal(now);
  const runtime = seededRuntime(seed, clock, monotonic);
  let opened: SandboxStore | undefined;
  const reset = async (): Promise<void> => {
    await opened?.empty();
    journal.clear();
    faults.reset();
    addFirstFaults(faults, options.faults);
  };
  return {
    runtime,
    seed,
    clock,
    async openStore(storeOptions) {
      const serverSecret = randomStream(seed, 'server secret')(secretBytes);
      opened = openSandboxStore(storeOptions, serverSecret);
      return opened.store;
    },
    extension: {
      responseHeaders: () => ({
        [headers.sandbox]: '1',
        // Clients calculate ages with the `Date` header, so it must show the virtual time.
        date: new Date(now()).toUTCString(),
      }),
      watch: journal.watch,
      mount(app, context) {
        const admin = storeAdmin(context.store, context.log, {runtime});
        const fleetNames = new FleetNames(seed);
        const state = {seed, clock, faults, journal, reset, context, admin, fleetNames};
        mountControl(app, {...state, inTurn: pLimit(1)}, options.control);
        injectFaults(app, {faults, journal, now, seed});
      },
      document: sandboxDocument(),
    },
  };
}

/** The clock and the randomness of the service. Each use of randomness has its own stream. */
function seededRuntime(seed: number, clock: VirtualClock, monotonic: () => number): Runtime {
  const ids = randomStream(seed, 'ids');
  const requestIds = randomStream(seed, 'request ids');
  return {
    now: clock.now,
    realSeconds: clock.realSeconds,
    // Rate limits and measurements use real time.
    monotonic,
    randomBytes: randomStream(seed, 'secrets'),
    newId: createIdFactory(() => fraction(ids)),
    newRequestId: () => uuid(requestIds),
  };
}

function addFirstFaults(faults: Faults, specs: readonly string[] = []): void {
  for (const spec of specs) {
    try {
      faults.add(spec);
    } catch (error) {
      if (!(error instanceof FaultSpecError)) throw error;
      throw new AppError('usage', `The fault ${JSON.stringify(spec)} ${error.message}.`, {
        reason: 'fault-invalid',
        cause: error,
      });
    }
  }
}
