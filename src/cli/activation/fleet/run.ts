import {access, constants, opendir} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import type {Client} from '../../../client/types.js';
import {AppError, type ErrorKind} from '../../../errors.js';
import type {ActivationResult} from '../../../render/formats/activations.js';
import {makeDirectory, syncDirectory} from '../../../system/durable-file.js';
import {nodeFiles} from '../../../system/files.js';
import {hasCode} from '../../errors/system-error.js';
import {cannotWrite, cannotWriteReason} from '../files.js';
import {busyReason} from '../lock.js';
import type {Machine} from './machine-list.js';
import {enrollMachine, previewRow, type RowContext, type RowOutcome, resultOf} from './row.js';

/** What to activate, and how. */
export interface FleetPlan extends Omit<RowContext, 'client'> {
  readonly client: Client;
  readonly machines: readonly Machine[];
  /** Machines at a time. */
  readonly parallel: number;
  /** Begins no more machines; those in progress finish, unless `signal` aborts too. */
  readonly stop: AbortSignal;
  /** Called for each machine that has an outcome. */
  readonly onResult: (result: ActivationResult) => void;
}

/** What became of all machines, in their order. */
export interface FleetOutcome {
  readonly results: readonly ActivationResult[];
  /** The error that stopped the run: each further machine would have failed in the same way. */
  readonly stoppedBy: AppError | undefined;
}

/**
 * Says what would become of each machine, without changing anything. Where a run would need the service, it sends one
 * harmless request, which fails as those of the run would.
 *
 * @throws AppError `usage` when the directory cannot be used
 */
export async function previewFleet(
  plan: Pick<FleetPlan, 'baseUrl' | 'directory' | 'machines' | 'signal'>,
  connect: () => Promise<Pick<Client, 'listConnectors'>>,
): Promise<FleetOutcome> {
  await requireWritable(plan.directory);
  const results: ActivationResult[] = [];
  for (const machine of plan.machines) {
    results.push(resultOf(machine, await previewRow(machine, plan)));
  }
  if (!results.some(({result}) => result === 'planned')) return {results, stoppedBy: undefined};
  try {
    const client = await connect();
    await client.listConnectors({signal: plan.signal}).toArray(1);
    return {results, stoppedBy: undefined};
  } catch (error) {
    if (error instanceof AppError) return {results, stoppedBy: error};
    throw error;
  }
}

/** Checks that files can be created in a directory, or it can be made. @throws AppError `usage` */
async function requireWritable(directory: string): Promise<void> {
  try {
    await checkDirectory(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw cannotWrite(directory, error);
    await requireWritable(dirname(resolve(directory)));
  }
}

/**
 * Activates a connector for each machine, several at a time. Run again, it continues: what it knows is in the
 * directory.
 *
 * @throws AppError `usage` when the directory cannot be used
 */
export async function enrollFleet(plan: FleetPlan): Promise<FleetOutcome> {
  const {machines, parallel, onResult} = plan;
  if (machines.length > 0) await createDirectory(plan.directory);
  const outcomes = new Map<Machine, RowOutcome>();
  const failures = new Failures(parallel);
  const context = {...plan, client: failures.watched(plan.client)};
  const settle = (machine: Machine, outcome: RowOutcome) => {
    outcomes.set(machine, outcome);
    failures.add(outcome);
    onResult(resultOf(machine, outcome));
  };
  const waiting = machines.values();
  const work = async () => {
    // Shared by all workers.
    for (const machine of waiting) {
      const isStopped = plan.stop.aborted || failures.stoppedBy !== undefined;
      settle(machine, isStopped ? {result: 'skipped'} : await enrollMachine(context, machine));
    }
  };
  await Promise.all(Array.from({length: Math.min(parallel, machines.length)}, work));
  const results = machines.map((machine) =>
    resultOf(machine, outcomes.get(machine) ?? {result: 'skipped'}),
  );
  return {results, stoppedBy: failures.stoppedBy};
}

async function createDirectory(directory: string): Promise<void> {
  try {
    const made = await makeDirectory(directory);
    for (const path of made) await syncDirectory(nodeFiles, dirname(path));
    await checkDirectory(directory);
  } catch (error) {
    throw cannotWrite(directory, error);
  }
}

/** @throws the system's error for a file, and where no file can be created */
async function checkDirectory(path: string): Promise<void> {
  const directory = await opendir(path);
  await directory.close();
  await access(path, constants.W_OK | constants.X_OK);
}

/** Errors of a service that would fail the next machine as well, whichever that is. */
const serviceKinds: ReadonlySet<ErrorKind> = new Set([
  'unavailable',
  'remote',
  'not_found',
  'protocol',
]);

const isOfService = ({kind, reason}: AppError) => serviceKinds.has(kind) && reason !== busyReason;

/** The failures of a run, which may be a reason to stop it. */
class Failures {
  /** The error that every further machine would meet. */
  stoppedBy: AppError | undefined;
  /** Machines in a row that the service failed. */
  #lost = 0;
  /** Whether a request has succeeded. */
  #works = false;
  readonly #most: number;

  /** @param parallel when a service is lost for a moment, all machines in progress fail */
  constructor(parallel: number) {
    this.#most = Math.max(5, 2 * parallel);
  }

  add({result, error}: RowOutcome): void {
    if (error !== undefined && isOfService(error)) this.#lost += 1;
    else if (result !== 'already' && result !== 'skipped') this.#lost = 0;
    if (error !== undefined) this.stoppedBy ??= this.#reason(error);
  }

  #reason(error: AppError): AppError | undefined {
    const {kind, status, reason} = error;
    if (status === 401 || status === 403) return withoutTokenHint(error);
    if (reason === cannotWriteReason && !hasCode(error.cause, 'EEXIST')) return error;
    if (!isOfService(error)) return undefined;
    // A service that has not worked at all concerns every machine; a response that breaks off does not.
    const neverWorked = !this.#works && kind !== 'remote' && reason !== 'body-incomplete';
    if (neverWorked) return withoutTokenHint(error);
    return this.#lost >= this.#most ? serviceLost(error, this.#lost) : undefined;
  }

  /** The same client, whose successes are noted. */
  watched(client: Client): RowContext['client'] {
    const note = async <T>(call: Promise<T>): Promise<T> => {
      const result = await call;
      this.#works = true;
      return result;
    };
    return {
      createToken: (...call) => note(client.createToken(...call)),
      activateConnector: (...call) => note(client.activateConnector(...call)),
      listConnectors: (options) => client.listConnectors(options),
    };
  }
}

function serviceLost(error: AppError, machines: number): AppError {
  return new AppError(
    error.kind,
    `The service failed ${machines} machines in a row; no more were started. The last error: ${error.message}`,
    {
      ...error,
      cause: error,
      hint: 'Once the service works again, run the same command: it does what is left.',
    },
  );
}

/** The usual hint about a refused token is for the person who typed it. */
function withoutTokenHint(error: AppError): AppError {
  if (!error.reason?.startsWith('activation-token-')) return error;
  return error.with({
    hint: 'The token was created just before. Check that the base URL leads to one service, then run the same command again.',
  });
}
