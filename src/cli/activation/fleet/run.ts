import {setMaxListeners} from 'node:events';
import {access, constants} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import type {Client} from '../../../client/types.js';
import {redactSecrets} from '../../../domain/secret.js';
import {AppError, type ErrorKind} from '../../../errors.js';
import type {ActivationResult} from '../../../render/formats/activations.js';
import {type Clock, systemClock} from '../../../system/clock.js';
import {nodeFiles} from '../../../system/files.js';
import {makeDirectory} from '../../../system/make-directory.js';
import {LockLostError, type ProcessLock} from '../../../system/process-lock.js';
import {syncDirectory} from '../../../system/sync-directory.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {CredentialsDirectory} from '../credentials-directory.js';
import {lockCredentials, lockLost} from '../lock.js';
import {refuseOldJournal} from '../old-journal.js';
import {CannotReserve, Place} from '../place.js';
import type {Machine} from './machine-list.js';
import {Requests} from './requests.js';
import {activateRow, previewRow, type RowContext, type RowOutcome} from './row.js';

/** Errors of a service that would fail the next row as well, whichever that is. */
const ofService: ReadonlySet<ErrorKind> = new Set([
  'unavailable',
  'remote',
  'not_found',
  'protocol',
]);

/**
 * The number of rows in a row that stop a run when the service fails them all. More than one per worker: when it is
 * lost for a moment, all rows in progress fail.
 */
const mostLost = (parallel: number) => Math.max(5, 2 * parallel);

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
  /** The number of times that a failed request is repeated where that is safe. */
  readonly retries: number;
}

/** What a dry run needs. */
interface FleetPreview extends Pick<FleetPlan, 'baseUrl' | 'directory' | 'machines'> {
  /** Called only where a run would need the service. */
  readonly connect: () => Promise<Pick<Client, 'listConnectors'>>;
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
  /** The error that stopped the run: each further row would have failed in the same way. */
  readonly stoppedBy: AppError | undefined;
  /** Whether that was the directory, and not the service. */
  readonly isLocal?: boolean;
}

/**
 * Says what would become of each row, without changing anything. Where a run would need the service, it sends one
 * harmless request, which fails as those of the run would.
 *
 * @throws AppError `usage` when the directory cannot be used
 */
export async function previewFleet(
  {machines, directory, baseUrl, connect}: FleetPreview,
  signal: AbortSignal,
): Promise<FleetOutcome> {
  const files = await listDirectory(directory);
  await requireWritable(directory).catch((error: unknown) => {
    throw cannotUse(directory, error);
  });
  const results: ActivationResult[] = [];
  for (const machine of machines) {
    const place = new Place(join(directory, machine.file), files);
    results.push(resultOf(machine, await previewRow(machine, place, baseUrl)));
  }
  const needsService = results.some(({result}) => result === 'planned');
  return {results, stoppedBy: needsService ? await errorOf(connect, signal) : undefined};
}

/** The error of a service that does not list its connectors for this key. */
async function errorOf(
  connect: FleetPreview['connect'],
  signal: AbortSignal,
): Promise<AppError | undefined> {
  try {
    const client = await connect();
    for await (const _ of client.listConnectors({signal})) break;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Checks that files can be created in a directory, or it can be made. @throws the system's error */
async function requireWritable(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await requireWritable(dirname(resolve(directory)));
  }
}

/**
 * Activates a connector for each machine, several at a time. Run again, it continues: what it knows is in
 * the directory.
 *
 * @param signal starts no more rows; those in progress finish
 * @throws AppError `usage` when the directory cannot be used, `unavailable` while another process uses it
 */
export async function activateFleet(
  plan: FleetPlan,
  signal: AbortSignal,
  observer: FleetObserver = {},
  clock: Clock = systemClock,
): Promise<FleetOutcome> {
  if (plan.machines.length === 0) return {results: [], stoppedBy: undefined};
  const {directory, list} = plan;
  try {
    const made = await makeDirectory(directory);
    for (const path of made) await syncDirectory(nodeFiles, dirname(path));
  } catch (error) {
    throw cannotUse(directory, error);
  }
  const lock = await lockCredentials({
    path: directory,
    scope: 'directory',
    label: list === '-' ? 'stdin' : basename(list),
    hint: 'Wait until it ends, then run this command again: it does what is left.',
    signal,
    cannotWrite: (error) => cannotUse(directory, error),
  });
  try {
    const files = await listDirectory(directory, lock);
    return await new FleetRun(plan, files, signal, observer, clock)
      .run()
      .finally(() => files.close());
  } finally {
    await lock.release();
  }
}

/** @throws AppError `usage` */
async function listDirectory(directory: string, lock?: ProcessLock): Promise<CredentialsDirectory> {
  refuseOldJournal(directory);
  return CredentialsDirectory.list(directory, lock && {lock}).catch((error: unknown) => {
    throw cannotUse(directory, error);
  });
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
  readonly #files: CredentialsDirectory;
  readonly #stop = new AbortController();
  readonly #results = new Map<Machine, ActivationResult>();
  #next = 0;
  #failures = 0;
  #stoppedBy: AppError | undefined;
  #isLocal = false;
  #isDirectoryLost = false;
  /** Whether a request has succeeded. */
  #works = false;
  /** Rows in a row that the service failed. */
  #lost = 0;

  constructor(
    plan: FleetPlan,
    files: CredentialsDirectory,
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
    const {machines, directory} = this.#plan;
    for (;;) {
      const machine = machines[this.#next];
      if (machine === undefined || this.#stop.signal.aborted) return;
      this.#next += 1;
      const place = new Place(join(directory, machine.file), this.#files);
      try {
        this.#settle(machine, await activateRow(this.#context, machine, place));
      } catch (error) {
        if (error instanceof LockLostError) {
          const lost = lockLost(directory, error);
          this.#settle(machine, {result: 'uncertain', error: lost, isDirectoryLost: true});
        } else if (error instanceof CannotReserve) {
          this.#settle(machine, {result: 'failed', error: error.error});
          this.#stopForDirectory(error.error);
        } else {
          this.#stop.abort();
          throw error;
        }
      }
    }
  }

  #settle(machine: Machine, outcome: RowOutcome): void {
    const result = resultOf(machine, outcome);
    this.#results.set(machine, result);
    this.#observer.onResult?.(result);
    const {error} = outcome;
    if (error !== undefined && ofService.has(error.kind)) this.#lost += 1;
    else if (outcome.result !== 'already' && outcome.result !== 'skipped') this.#lost = 0;
    if (outcome.result !== 'failed' && outcome.result !== 'uncertain') return;
    this.#failures += 1;
    if (this.#failures >= (this.#plan.maxFailures ?? Number.POSITIVE_INFINITY)) this.#stop.abort();
    if (error === undefined) return;
    if (outcome.isDirectoryLost) {
      this.#isDirectoryLost = true;
      this.#stopForDirectory(error);
    } else if (this.#stop.signal.aborted) {
      // Something else has stopped the run: the user, for instance.
      return;
    } else if (this.#concernsAll(error)) {
      this.#stopFor(error);
    } else if (this.#lost >= mostLost(this.#plan.parallel)) {
      this.#stopFor(serviceLost(error, this.#lost));
    }
  }

  /** A refused key, and a service that has not worked at all, concern every row; a response that breaks off does not. */
  #concernsAll({kind, status, reason}: AppError): boolean {
    if (status === 401 || status === 403) return true;
    if (this.#works || reason === 'body-incomplete') return false;
    return kind === 'unavailable' || kind === 'not_found' || kind === 'protocol';
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

function serviceLost(error: AppError, rows: number): AppError {
  return new AppError(
    error.kind,
    `The service failed ${rows} machines in a row; no more were started. The last error: ${error.message}`,
    {
      ...error,
      cause: error,
      hint: 'Once the service works again, run the same command: it does what is left.',
    },
  );
}

function resultOf(machine: Machine, {result, id, hasKey, error}: RowOutcome): ActivationResult {
  return {
    machine,
    result,
    id,
    hasKey,
    error: error && {kind: error.kind, message: redactSecrets(error.message)},
  };
}
