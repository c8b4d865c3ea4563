import {randomInt} from 'node:crypto';
import {limits} from '../../contract/index.js';
import type {SandboxStatus} from '../../contract/sandbox.js';
import {createIdFactory} from '../../domain/ids.js';
import {statusBounds} from '../../domain/liveness.js';
import {secretBytes} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {State} from '../../store/json-file/state.js';
import {JsonFileStore} from '../../store/json-file/store.js';
import {type Disk, Writer} from '../../store/json-file/writer.js';
import type {Bounds, Store} from '../../store/store.js';
import {type CreatedKey, keyInfo} from '../admin/admin.js';
import {makeKey, type NewKey} from '../admin/new-key.js';
import type {Runtime} from '../context.js';
import {type ClockMode, fraction, type RandomBytes, randomStream, VirtualClock} from './clock.js';
import {Faults} from './faults.js';

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
  /** Heartbeat interval in virtual seconds. Default: that of the service. */
  readonly heartbeatInterval?: number | undefined;
  /** The maximum numbers of records of one organization. Default: none. */
  readonly bounds?: Bounds | undefined;
}

/** Start of a frozen clock with a seed: in the future, so that tokens are valid by the clocks of clients. */
const repeatableStart = Date.UTC(2030, 0, 1);

/** Upper limit of a random seed. */
const seedLimit = 2 ** 47;

/** Keeps the records in memory only. */
const noDisk: Disk = {
  append: async () => {},
  applied() {},
  length: 0,
  verifyLock: async () => {},
  compact: async () => {},
  close: async () => {},
};

/** A virtual clock, seeded randomness, faults, and the state of a JSON file store without its file. */
export class Sandbox {
  readonly seed: number;
  readonly heartbeatInterval: number;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  /** The clock and the randomness of the service. */
  readonly runtime: Runtime;
  readonly store: Store;
  /** Changes the records of the store. */
  readonly writer: Writer;
  readonly fleetRandom: RandomBytes;
  readonly #state = new State();
  #fleetSize = 0;

  /** @throws AppError of kind `usage` for an invalid fault */
  constructor({seed, rate, clock, faults = [], heartbeatInterval, bounds}: SandboxOptions) {
    this.seed = seed ?? randomInt(seedLimit);
    this.heartbeatInterval = heartbeatInterval ?? limits.heartbeatInterval.default;
    const mode = clock ?? (seed !== undefined && rate === undefined ? 'frozen' : 'running');
    const startedAt = seed !== undefined && mode === 'frozen' ? repeatableStart : Date.now();
    // Rate limits and measurements use real time.
    const monotonic = () => performance.now();
    this.clock = new VirtualClock(mode, rate ?? 1, startedAt, monotonic);
    const {now} = this.clock;
    this.faults = new Faults(this.seed, now, faults);
    // Each use of randomness has its own stream.
    const stream = (name: string) => randomStream(this.seed, name);
    const [ids, requestIds] = [stream('ids'), stream('request ids')];
    this.fleetRandom = stream('fleet');
    this.runtime = {
      now,
      monotonic,
      randomBytes: stream('secrets'),
      newId: createIdFactory(() => fraction(ids)),
      newRequestId: () => requestIds(16).toString('hex'),
    };
    this.writer = new Writer(this.#state, bounds, noDisk, now);
    this.store = new JsonFileStore({
      state: this.#state,
      writer: this.writer,
      disk: noDisk,
      bounds,
      serverSecret: stream('server secret')(secretBytes),
    });
  }

  /** Creates an API key of an organization, which may be new. */
  async createKey({
    ttl_seconds: ttl,
    ...key
  }: Pick<NewKey, 'organization' | 'access'> & {
    ttl_seconds?: number | undefined;
  }): Promise<CreatedKey> {
    const expiresAt = ttl === undefined ? null : this.runtime.now() + ttl * 1000;
    const settings = {...key, description: 'Made by the sandbox', expiresAt};
    const {record, secret} = makeKey(settings, this.runtime);
    await this.store.createApiKey(record);
    return {record: keyInfo(record), secret};
  }

  /** The next name of a generated connector: `fleet-000001` and so on. */
  fleetName(): string {
    this.#fleetSize += 1;
    return `fleet-${String(this.#fleetSize).padStart(6, '0')}`;
  }

  /** Removes everything except the API keys and the time, and restores the initial faults. */
  async reset(): Promise<void> {
    await this.writer.pause(async () => {
      const {connectors, tokens, usage} = this.#state;
      connectors.remove([...connectors.values()].map(({id}) => id));
      for (const token of tokens.values()) usage.replace(token, undefined);
      tokens.clear();
    });
    this.faults.reset();
    this.#fleetSize = 0;
  }

  async status(): Promise<SandboxStatus> {
    const {seed, clock, faults, heartbeatInterval} = this;
    const {connectors} = await this.store.measure(statusBounds(clock.now(), heartbeatInterval));
    return {
      clock: clock.mode,
      rate: clock.rate,
      now: timestamp(clock.now()),
      seed,
      heartbeat_interval_seconds: heartbeatInterval,
      connectors: {...connectors},
      faults: faults.list().length,
    };
  }
}
