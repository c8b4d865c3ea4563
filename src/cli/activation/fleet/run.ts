import {setMaxListeners} from 'node:events';
import {open} from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import type {Client} from '../../../client/types.js';
import {redactSecrets} from '../../../domain/secret.js';
import {AppError} from '../../../errors.js';
import {escapeControl} from '../../../render/escape.js';
import type {ActivationResult} from '../../../render/formats/activations.js';
import {type Clock, systemClock} from '../../../system/clock.js';
import {makeDirectory} from '../../../system/make-directory.js';
import {syncDirectory} from '../../../system/sync-directory.js';
import {reasonOf} from '../../errors/system-error.js';
import {writeMessage} from '../../terminal/streams.js';
import {directoryTarget, type Owner, ownsDirectory, TargetLock} from '../target-lock.js';
import {CredentialsDirectory, LocalFailure, WritableDirectory} from './directory.js';
import type {Machine} from './machine-list.js';
import {Place, WritablePlace} from './place.js';
import {Requests} from './requests.js';
import {activateRow, previewRow, type RowContext, type RowOutcome} from './row.js';

/** What to activate, and how. */
export interface FleetPlan {
  /** Makes one attempt per call. */
  readonly client: Client;
  readonly baseUrl: string;
  /** Name of the list, for messages. */
  readonly list: string;
  readonly machines: readonly Machine[];
  /** For the credentials files; made if it does not exist. */
  readonly directory: string;
  /** Rows at a time. */
  readonly parallel: number;
  /** Failed rows after which no more rows are started. */
  readonly maxFailures: number | undefined;
  /** How often a failed request is repeated where that is safe. */
  readonly retries: number;
  readonly encrypt: RowContext['encrypt'];
}

/** What the caller sees of a run while it runs. */
export interface FleetObserver {
  /** Called for each row that has an outcome. */
  readonly onResult?: ((result: ActivationResult) => void) | undefined;
  /** Called once, with what is left of a pause in milliseconds. */
  readonly onStart?: ((pause: () => number) => void) | undefined;
}

/** What became of all rows, in their order. */
export interface FleetOutcome {
  readonly results: readonly ActivationResult[];
  /** Why no more rows were started: each would have failed in the same way. */
  readonly stoppedBy: AppError | undefined;
  /** Whether that was the directory, and not the service. */
  readonly isLocal?: boolean;
}

/** Milliseconds to wait for a single activation into the same directory. */
const patience = 60_000;

/**
 * Says what would become of each row, without changing or sending anything.
 *
 * @throws AppError `usage` when the directory cannot be read
 */
export async function previewFleet({
  machines,
  directory,
  baseUrl,
}: Pick<FleetPlan, 'baseUrl' | 'directory' | 'machines'>): Promise<FleetOutcome> {
  const files = await CredentialsDirectory.look(directory).catch((error: unknown) => {
    throw error instanceof AppError ? error : cannotUse(directory, error);
  });
  const results: ActivationResult[] = [];
  for (const machine of machines) {
    const place = new Place(files, machine.file);
    results.push(resultOf(machine, await previewRow(machine, place, baseUrl)));
  }
  return {results, stoppedBy: undefined};
}

/**
 * Activates a connector for each machine, several at a time. Run again, it continues: what it knows is in
 * the directory.
 *
 * @param signal starts no more rows; those in progress finish
 * @throws AppError `usage` when the directory cannot be used, or another process uses it
 */
export async function activateFleet(
  plan: FleetPlan,
  signal: AbortSignal,
  observer: FleetObserver = {},
  clock: Clock = systemClock,
): Promise<FleetOutcome> {
  if (plan.machines.length === 0) return {results: [], stoppedBy: undefined};
  try {
    const made = await makeDirectory(plan.directory);
    for (const path of made) await syncDirectory({open}, dirname(path));
  } catch (error) {
    throw cannotUse(plan.directory, error);
  }
  const lock = await acquire(plan, signal);
  try {
    const files = await WritableDirectory.open(plan.directory);
    let failure: AppError | undefined;
    let outcome: FleetOutcome;
    try {
      outcome = await new FleetRun(plan, files, signal, observer, clock).run();
    } finally {
      failure = await files.close();
    }
    if (failure === undefined || outcome.stoppedBy !== undefined) return outcome;
    return {...outcome, stoppedBy: failure, isLocal: true};
  } finally {
    await lock.release();
  }
}

async function acquire({directory, list}: FleetPlan, signal: AbortSignal): Promise<TargetLock> {
  const deadline = performance.now() + patience;
  let isWaiting = false;
  const wait = (owner: Owner) => {
    if (ownsDirectory(owner) || performance.now() > deadline) throw busy(directory, owner);
    if (!isWaiting)
      writeMessage(`Process ${owner.pid} is activating into ${directory}; waiting for it.`);
    isWaiting = true;
  };
  try {
    const self = {name: list === '-' ? 'stdin' : basename(list), tokenHash: ''};
    return await TargetLock.acquire(directoryTarget(directory), self, wait, signal);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (signal.aborted) throw new AppError('cancelled', 'Cancelled; nothing was sent.');
    throw cannotUse(directory, error);
  }
}

function busy(directory: string, {pid, host, name}: Owner): AppError {
  return new AppError(
    'usage',
    `Process ${pid} on ${escapeControl(host)} is activating ${escapeControl(name)} into ${directory}; nothing was sent.`,
    {hint: 'Wait until it ends, then run this command again: it does what is left.'},
  );
}

function cannotUse(directory: string, error: unknown): AppError {
  return new AppError(
    'usage',
    `Cannot write into ${directory}: ${reasonOf(error)}. Nothing was sent.`,
    {
      hint: 'Choose a directory that you can write to, with --credentials-dir PATH.',
      cause: error,
    },
  );
}

/** One run over the rows: its workers, and what stops them. */
class FleetRun {
  readonly #plan: FleetPlan;
  readonly #observer: FleetObserver;
  readonly #context: RowContext;
  readonly #files: WritableDirectory;
  readonly #stop = new AbortController();
  readonly #results = new Map<Machine, ActivationResult>();
  #next = 0;
  #failures = 0;
  #stoppedBy: AppError | undefined;
  #isLocal = false;
  #isDirectoryLost = false;
  /** Whether a request has succeeded. */
  #works = false;

  constructor(
    plan: FleetPlan,
    files: WritableDirectory,
    signal: AbortSignal,
    observer: FleetObserver,
    clock: Clock,
  ) {
    this.#plan = plan;
    this.#observer = observer;
    this.#files = files;
    // Each worker may wait for it.
    setMaxListeners(plan.parallel + 1, this.#stop.signal);
    const requests = new Requests(plan.retries, this.#stop.signal, clock);
    observer.onStart?.(() => requests.pause);
    this.#context = {
      client: this.#watched(plan.client),
      requests,
      baseUrl: plan.baseUrl,
      // On a full disk the rows in progress have their room.
      isStopped: () => this.#stoppedBy !== undefined && (!this.#isLocal || this.#isDirectoryLost),
      encrypt: plan.encrypt,
    };
    if (signal.aborted) this.#stop.abort();
    signal.addEventListener('abort', () => this.#stop.abort(), {once: true});
  }

  async run(): Promise<FleetOutcome> {
    const {machines, parallel} = this.#plan;
    const workers = Array.from({length: Math.min(parallel, machines.length)}, () => this.#work());
    // After a bug in one of them the others finish their rows before the lock is released.
    await Promise.allSettled(workers);
    await Promise.all(workers);
    for (const machine of machines) {
      if (!this.#results.has(machine)) this.#settle(machine, {result: 'skipped'});
    }
    const results = machines.flatMap((machine) => this.#results.get(machine) ?? []);
    return {results, stoppedBy: this.#stoppedBy, isLocal: this.#isLocal};
  }

  async #work(): Promise<void> {
    const {machines} = this.#plan;
    for (;;) {
      const machine = machines[this.#next];
      if (machine === undefined || this.#stop.signal.aborted) return;
      this.#next += 1;
      const place = new WritablePlace(this.#files, machine.file);
      try {
        this.#settle(machine, await activateRow(this.#context, machine, place));
      } catch (error) {
        if (!(error instanceof LocalFailure)) {
          this.#stop.abort();
          throw error;
        }
        this.#settle(machine, {result: 'failed', error: error.error});
        this.#stopForDirectory(error.error);
      }
    }
  }

  #settle(machine: Machine, outcome: RowOutcome): void {
    const result = resultOf(machine, outcome);
    this.#results.set(machine, result);
    this.#observer.onResult?.(result);
    const {error} = outcome;
    if (outcome.result !== 'failed' && outcome.result !== 'uncertain') return;
    this.#failures += 1;
    if (this.#failures >= (this.#plan.maxFailures ?? Number.POSITIVE_INFINITY)) this.#stop.abort();
    if (error === undefined) return;
    if (outcome.isDirectoryLost) {
      this.#isDirectoryLost = true;
      this.#stopForDirectory(error);
    } else if (this.#concernsAll(error)) {
      this.#stopFor(error);
    }
  }

  /** A refused key, and a service that has not worked at all, concern every row. */
  #concernsAll({kind, status}: AppError): boolean {
    if (status === 401 || status === 403) return true;
    return !this.#works && (kind === 'unavailable' || kind === 'not_found' || kind === 'protocol');
  }

  #stopForDirectory(error: AppError): void {
    this.#isLocal ||= this.#stoppedBy === undefined;
    this.#stopFor(error);
  }

  #stopFor(error: AppError): void {
    this.#stoppedBy ??= error;
    this.#stop.abort();
  }

  #watched(client: Client): RowContext['client'] {
    const watched = async <T>(call: Promise<T>): Promise<T> => {
      const result = await call;
      this.#works = true;
      return result;
    };
    return {
      createToken: (...call) => watched(client.createToken(...call)),
      activateConnector: (...call) => watched(client.activateConnector(...call)),
      listConnectors: (options) => client.listConnectors(options),
    };
  }
}

function resultOf(machine: Machine, {result, id, error}: RowOutcome): ActivationResult {
  return {
    machine,
    result,
    id,
    error: error && {kind: error.kind, message: redactSecrets(error.message)},
  };
}
