import {once} from 'node:events';
import {connect} from 'node:net';
import * as z from 'zod/mini';
import {errorCode} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import {describeSelf, readStat} from '../../../system/lock-owner.js';
import {isProcessRunning} from '../../../system/process-stat.js';
import {withSocketPath} from '../../../system/socket-path.js';
import {StoreError} from '../../store.js';
import {inDirectory, isEarlierLock, names, numbersOf} from '../format/layout.js';

/**
 * The owner in a lock of the builds until commit 53da81a, which numbered their locks: the highest one counts. `socket`
 * is one on which the owner listens; null where the file system has no sockets.
 */
const EarlierOwner = z.object({
  pid: z.int(),
  socket: z.nullable(z.string()),
  started: z.nullable(z.string()),
  boot: z.nullable(z.string()),
});

/**
 * The pid of a running process of an earlier build that uses the store.
 *
 * @throws StoreError of kind `locked` when a lock has unknown content
 */
export async function findEarlierOwner(
  files: Files,
  directory: string,
): Promise<number | undefined> {
  const number = numbersOf('earlierLock', await files.readdir(directory)).at(-1);
  if (number === undefined) return undefined;
  const path = inDirectory(directory, names.earlierLock(number));
  const text = await files.readFile(path, 'utf8').catch((error: unknown) => {
    // Only the one with the ending -released is there.
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const owner = parse(path, text);
  return (await isRunning(files, directory, owner)) ? owner.pid : undefined;
}

async function isRunning(
  files: Files,
  directory: string,
  {socket, boot, ...owner}: z.infer<typeof EarlierOwner>,
): Promise<boolean> {
  if (socket !== null) return isListening(files, directory, socket);
  if (boot !== null && boot !== (await describeSelf(files)).boot) return false;
  return isProcessRunning(owner, (pid) => readStat(files, pid));
}

/** Removes what earlier builds left. */
export async function removeEarlierLocks(files: Files, directory: string): Promise<void> {
  for (const name of (await files.readdir(directory)).filter(isEarlierLock)) {
    await files.rm(inDirectory(directory, name), {force: true});
  }
}

function parse(path: string, text: string): z.infer<typeof EarlierOwner> {
  try {
    return EarlierOwner.parse(JSON.parse(text));
  } catch (error) {
    const advice = 'not a lock file of connectorctl; remove it if no other process uses the store';
    throw new StoreError('locked', `${path}: ${advice}.`, {cause: error});
  }
}

/** Whether a process listens on the socket of this name. Where that cannot be tested: true. */
async function isListening(files: Files, directory: string, name: string): Promise<boolean> {
  const listening = await withSocketPath(files, directory, name, async (path) => {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      // Any other error, such as that of a full queue, comes from an open socket.
      return errorCode(error) !== 'ECONNREFUSED' && errorCode(error) !== 'ENOENT';
    } finally {
      socket.destroy();
    }
  });
  return listening ?? true;
}
