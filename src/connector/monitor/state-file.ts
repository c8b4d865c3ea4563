import * as z from 'zod/mini';
import {isSameService} from '../../client/settings.js';
import {MonitorState, noState} from '../../domain/check/monitor.js';
import {jsonOrUndefined, otherVersion} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {nodeFiles, ownerOnly, writeUserFile} from '../../system/durable-file.js';
import {type LockOwner, ProcessLock} from '../../system/process-lock.js';
import {hasCode, reasonOf, writeHint} from '../../system/system-error.js';
import {readTrustedFile} from '../../system/trusted-files.js';
import {escapeControl} from '../../terminal/escape.js';
import {stateSchema} from './view.js';

/** The reason of a failed write, whose cause may be temporary, such as a full disk. */
export const unsaved = 'state-unsaved';

const StateFile = z.object({
  schema: z.literal(stateSchema),
  /** Base URL of the service whose connectors are monitored. */
  service: z.string(),
  state: MonitorState,
});

/** Keeps the state of a monitor between runs. */
export interface StateStore {
  load(): Promise<MonitorState>;
  save(state: MonitorState): Promise<void>;
}

/**
 * Runs work with the state of a service in a file, which only one process uses at a time.
 *
 * @param path undefined: the state ends with the process
 * @throws AppError `unavailable` when another process uses the file, `usage` when it cannot be read or written
 */
export async function withState<T>(
  path: string | undefined,
  service: string,
  work: (store: StateStore) => Promise<T>,
): Promise<T> {
  if (path === undefined) return work({load: async () => noState, save: async () => undefined});
  const lock = await lockState(path);
  const store: StateStore = {
    load: () => load(path, service),
    async save(state) {
      await lock.verifyHeld().catch((error: unknown) => {
        throw cannotWrite(path, error);
      });
      const text = `${JSON.stringify({schema: stateSchema, service, state}, null, 2)}\n`;
      const options = {mode: ownerOnly, isLocked: true};
      await writeUserFile(nodeFiles, path, text, options).catch((error: unknown) => {
        throw cannotWrite(path, error).with({reason: unsaved});
      });
    },
  };
  try {
    return await work(store);
  } finally {
    await lock.release();
  }
}

async function lockState(path: string): Promise<ProcessLock> {
  const wait = ({pid, host}: LockOwner) => {
    const owner = `process ${pid} on ${escapeControl(host)}`;
    throw new AppError('unavailable', `The state file ${path} is used by ${owner}.`, {
      reason: 'busy',
      hint: 'One monitor at a time uses a state file. Stop the other, or pass another --state.',
    });
  };
  try {
    return await ProcessLock.acquire(path, {label: 'monitoring', wait});
  } catch (error) {
    throw error instanceof AppError ? error : cannotWrite(path, error);
  }
}

async function load(path: string, service: string): Promise<MonitorState> {
  let text: string;
  try {
    // The file decides which events are reported, so only a trusted user may write it.
    text = readTrustedFile(path).toString();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return noState;
    throw refused(path, `cannot be read: ${reasonOf(error)}`, 'Make it your own and readable');
  }
  const document = jsonOrUndefined(text);
  const {data: found} = StateFile.safeParse(document);
  if (found === undefined) {
    const other = otherVersion(document, stateSchema, 'schema');
    throw other === undefined
      ? refused(path, 'is not a state file of connector monitor', 'Restore it or move it away')
      : refused(path, other, 'Use the connectorctl that wrote it, or another --state');
  }
  if (!isSameService(found.service, service)) {
    const other = `is that of another service, ${escapeControl(found.service)}`;
    throw refused(path, other, 'Use one state file for each service');
  }
  return found.state;
}

/** The error for an unusable file. A new baseline would lose the problems that began or ended since the last run. */
function refused(path: string, why: string, what: string): AppError {
  return new AppError('usage', `The state file ${path} ${why}; it was not touched.`, {
    hint: `${what}.`,
  });
}

function cannotWrite(path: string, cause: unknown): AppError {
  return new AppError('usage', `Cannot write the state file ${path}: ${reasonOf(cause)}.`, {
    hint: writeHint(cause, '--state'),
    cause,
  });
}
