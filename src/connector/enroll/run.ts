import {access, constants} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import type {KeyReading} from '../../client/types.js';
import {figure} from '../../domain/words.js';
import {AppError, type ErrorKind} from '../../errors.js';
import {makeDirectory, nodeFiles, syncDirectory} from '../../system/durable-file.js';
import {hasCode} from '../../system/system-error.js';
import {busyReason, cannotWrite, cannotWriteReason} from '../credentials/files.js';
import type {Machine} from './machine-list.js';
import type {EnrollOutcome, MachineResult} from './results.js';
import {enrollMachine, previewMachine, type RowContext} from './row.js';

/** The machines to activate, and the options. */
export interface Enrollment extends RowContext {
  readonly machines: readonly Machine[];
  /** Whether only to predict the results. */
  readonly isPreview: boolean;
  /** What the key allows, as the last response said. */
  readonly access: () => KeyReading['access'];
  /** Number of machines that are activated at a time. */
  readonly parallel: number;
}

const keyMayOnlyRead = new AppError('auth', 'The API key may only read.', {
  reason: 'api-key-read-only',
});

/**
 * Activates a connector for each machine, several at a time. A later run continues: the state is in the directory. A
 * preview changes nothing; where a run would need the service, it sends one harmless request to meet the same errors.
 *
 * @throws AppError `usage` when the directory cannot be used
 */
export async function enrollMachines(plan: Enrollment): Promise<EnrollOutcome> {
  const {machines, parallel, isPreview, signal, io} = plan;
  if (isPreview) await requireWritable(plan.directory);
  else if (machines.length > 0) await createDirectory(plan.directory);
  const resultOf = isPreview ? previewMachine : enrollMachine;
  const reasonToStop = stopRule(Math.min(machines.length, Math.max(5, 2 * parallel)));
  const results: MachineResult[] = [];
  let stoppedBy: AppError | undefined;
  const waiting = machines.entries();
  const work = async () => {
    // All workers take machines from the same iterator.
    for (const [at, machine] of waiting) {
      const isStopped = signal.aborted || stoppedBy !== undefined;
      const result: MachineResult = isStopped
        ? {machine, result: 'skipped'}
        : await resultOf(plan, machine);
      stoppedBy ??= reasonToStop(result);
      results[at] = result;
    }
  };
  const endLine = io.progress(() => progressText(Object.values(results), machines.length));
  try {
    await Promise.all(Array.from({length: parallel}, work));
    if (results.some(({result}) => result === 'planned')) stoppedBy = await refusalOf(plan);
  } finally {
    endLine();
  }
  return {results, stoppedBy};
}

function progressText(done: readonly MachineResult[], total: number): string {
  const bad = done.filter(({error}) => error !== undefined).length;
  return `${figure(done.length)}/${figure(total)} machines${bad === 0 ? '' : `, ${figure(bad)} failed or uncertain`}`;
}

/** The error of the service that would stop a run; undefined without one. */
async function refusalOf({client, signal, access}: Enrollment): Promise<AppError | undefined> {
  try {
    await client.listConnectors({signal}).all({atMost: 1});
    return access() === 'read' ? keyMayOnlyRead : undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function createDirectory(directory: string): Promise<void> {
  try {
    for (const made of await makeDirectory(directory)) {
      await syncDirectory(nodeFiles, dirname(made));
    }
    await checkDirectory(directory);
  } catch (error) {
    throw cannotWrite(directory, error);
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

/** @throws the system's error if the path is no directory, or no file can be created in it */
const checkDirectory = (path: string) => access(`${path}/.`, constants.W_OK | constants.X_OK);

/** Kinds of errors that the next machine may meet too. */
const serviceKinds: ReadonlySet<ErrorKind> = new Set([
  'unavailable',
  'remote',
  'not_found',
  'protocol',
]);

/**
 * Finds an error that further machines would probably meet: a refused key, a directory that cannot be written, or a
 * service that has failed several machines in a row.
 *
 * @param most number of consecutive failures that stops the run; a short outage fails all machines in progress
 */
function stopRule(most: number): (outcome: MachineResult) => AppError | undefined {
  let inARow = 0;
  return ({result, error}) => {
    const isOfService =
      error !== undefined && serviceKinds.has(error.kind) && error.reason !== busyReason;
    if (isOfService) inARow += 1;
    else if (result !== 'already') inARow = 0;
    if (error === undefined) return undefined;
    // A refused token of an earlier run concerns one machine only.
    const isRefused = result !== 'uncertain' && (error.status === 401 || error.status === 403);
    // A file that another program created concerns one machine only.
    const isUnwritable = error.reason === cannotWriteReason && !hasCode(error.cause, 'EEXIST');
    if (isRefused || isUnwritable) return error;
    return isOfService && inARow >= most ? serviceLost(error, inARow) : undefined;
  };
}

function serviceLost(error: AppError, machines: number): AppError {
  if (machines === 1) return error;
  const message = `The service failed ${machines} machines in a row; no more were started. The last error: ${error.message}`;
  const hint = 'Once the service works again, run the same command: it does what is left.';
  return new AppError(error.kind, message, {...error, cause: error, hint});
}
