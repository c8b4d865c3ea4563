import {randomBytes} from 'node:crypto';
import path from 'node:path';
import * as z from 'zod/mini';
import {jsonOrUndefined} from '../../domain/json.js';
import {secretBytes} from '../../domain/secret.js';
import {writeDurably} from '../../system/durable-file.js';
import {errorCode} from '../../system/error-codes.js';
import type {Files} from '../../system/files.js';
import {syncDirectory} from '../../system/sync-directory.js';
import {StoreError, type StoreLog} from '../store.js';
import {modes} from './files.js';
import {formatName, inDirectory, isData, isLock, names} from './format/layout.js';
import {decodeLine, encodeLine, newline} from './format/lines.js';
import {checkNotNewer, checkVersion, formatVersion} from './format/upgrades.js';
import {Segment} from './journal/segment.js';
import {lineError, parseLine, type ReadContext} from './read/file.js';

/** The part of `store.json` that is the same in every version of the format. */
const DescriptionHeader = z.object({format: z.literal(formatName), version: z.number()});

/** `store.json` of this version: a single line with a checksum. */
const Description = z.extend(DescriptionHeader, {createdAt: z.number(), serverSecret: z.string()});
export type Description = z.infer<typeof Description>;

/**
 * Creates the directory of a store unless it exists.
 *
 * @throws StoreError when its path is something else
 */
export async function makeDirectory(files: Files, directory: string): Promise<void> {
  for (const made of await makeMissing(files, directory))
    await syncDirectory(files, path.dirname(made));
}

/**
 * Creates a directory and its missing parents. Node's `recursive` hangs below a parent that allows no
 * directories, such as `/proc`.
 *
 * @returns the created directories, innermost first
 */
async function makeMissing(files: Files, directory: string): Promise<readonly string[]> {
  if (await isDirectory(files, directory)) return [];
  const parent = path.dirname(directory);
  const made = parent === directory ? [] : await makeMissing(files, parent);
  try {
    await files.mkdir(directory, {mode: modes.directory});
    return [directory, ...made];
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    // Another process was faster.
    if (await isDirectory(files, directory)) return made;
  }
  if ((await files.lstat(directory)).isSymbolicLink()) {
    throw new StoreError(
      'unavailable',
      `${directory} is a symbolic link to a directory that does not exist.`,
    );
  }
  throw new StoreError('format', `${directory} is a file; a JSON file store is a directory.`);
}

async function isDirectory(files: Files, directory: string): Promise<boolean> {
  try {
    return (await files.stat(directory)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/**
 * Reads a store's description; undefined when the directory holds no store yet.
 *
 * @throws StoreError when it is damaged or of a version that this build cannot read
 */
export async function readDescription(context: ReadContext): Promise<Description | undefined> {
  const {files, directory, upgrades} = context;
  const file = inDirectory(directory, names.store);
  let bytes: Buffer;
  try {
    bytes = await files.readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const header = DescriptionHeader.safeParse(jsonOrUndefined(bytes.toString()));
  // Before the checksum, which a newer version may compute in another way.
  if (header.success) checkNotNewer(file, header.data.version);
  const description = parseDescription(file, bytes);
  checkVersion(file, description.version, upgrades);
  return description;
}

function parseDescription(file: string, bytes: Buffer): Description {
  try {
    if (bytes.at(-1) !== newline) throw new Error('it is truncated');
    return parseLine(Description, decodeLine(bytes.subarray(0, -1), 0).value);
  } catch (error) {
    throw lineError(file, 1, error);
  }
}

/**
 * Checks that there is a store, without creating anything.
 *
 * @throws StoreError of kind `missing`
 */
export async function checkExists(files: Files, directory: string): Promise<void> {
  try {
    if ((await files.readdir(directory)).some(isData)) return;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  }
  throw new StoreError('missing', `There is no store at ${directory}.`);
}

/**
 * Checks that a store can be created in a directory without `store.json`: it is empty, or holds the
 * leftovers of a crash during an earlier attempt.
 *
 * @throws StoreError of kind `damaged` when it holds records, and of kind `format` when it holds other files
 */
export async function checkVacant(files: Files, directory: string): Promise<void> {
  const obstacle = await findObstacle(files, directory);
  // Another process may have created the store in the meantime.
  if (obstacle === undefined || (await files.readdir(directory)).includes(names.store)) return;
  throw obstacle;
}

async function findObstacle(files: Files, directory: string): Promise<StoreError | undefined> {
  const listing = await files.readdir(directory);
  for (const name of listing.filter(isData)) {
    if ((await files.stat(inDirectory(directory, name))).size === 0) continue;
    return new StoreError(
      'damaged',
      `${inDirectory(directory, names.store)} is missing, and the server secret with it; ${name} beside it holds records of a store. The store was not opened and nothing was changed. Copy ${names.store} from any backup of this store, or restore a whole backup into an empty directory.`,
    );
  }
  const foreign = listing.find((name) => !isOfUnfinishedStore(name));
  if (foreign === undefined) return undefined;
  return new StoreError(
    'format',
    `${directory} holds other files (${inDirectory(directory, foreign)}) but no store; use an empty or a new directory.`,
  );
}

/** Whether a crash before `store.json` was in place may leave a file of this name. */
function isOfUnfinishedStore(name: string): boolean {
  const written = [names.store, names.control].map(names.temporary);
  return isLock(name) || [...written, names.journal(1), names.control].includes(name);
}

/** Writes a store's description, in the current version. */
export async function writeDescription(
  files: Files,
  directory: string,
  {createdAt, serverSecret}: Pick<Description, 'createdAt' | 'serverSecret'>,
): Promise<Description> {
  const description: Description = {
    format: formatName,
    version: formatVersion,
    createdAt,
    serverSecret,
  };
  const members = JSON.stringify(description).slice(1, -1);
  const path = inDirectory(directory, names.store);
  await writeDurably(files, path, encodeLine(members, 0).bytes, {draft: names.temporary(path)});
  return description;
}

/**
 * Creates an empty store. `store.json` comes last, and makes the directory a store.
 *
 * @param secret the server secret; by default a new one, in a copy that of the source
 * @throws StoreError when there are records or other files
 */
export async function initializeDirectory(
  files: Files,
  directory: string,
  createdAt: number,
  secret: Uint8Array = randomBytes(secretBytes),
): Promise<Description> {
  await checkVacant(files, directory);
  const first = await Segment.open(files, directory, 1, {length: 0, chain: 0});
  await first.close();
  const serverSecret = Buffer.from(secret).toString('base64url');
  return writeDescription(files, directory, {createdAt, serverSecret});
}

/** Removes the access of other users to the store's files, and logs it. */
export async function tightenModes(files: Files, directory: string, log: StoreLog): Promise<void> {
  const data = (await files.readdir(directory))
    .filter(isData)
    .map((name) => inDirectory(directory, name));
  for (const target of [directory, ...data]) {
    const {mode} = await files.stat(target);
    if ((mode & 0o077) === 0) continue;
    const wanted = target === directory ? modes.directory : modes.file;
    await files.chmod(target, wanted);
    log.warn(
      {path: target, mode: wanted.toString(8)},
      'removed the access of other users to the store',
    );
  }
}
