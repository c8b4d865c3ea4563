import {randomBytes} from 'node:crypto';
import path from 'node:path';
import * as z from 'zod/mini';
import {secretBytes} from '../../domain/secret.js';
import {StoreError, type StoreLog} from '../store.js';
import {errorCode, type Files, modes, replaceFile, syncFolder} from './files.js';
import {
  formatName,
  formatVersion,
  inFolder,
  isData,
  isLock,
  isTemporary,
  names,
  numbersOf,
} from './layout.js';
import {decodeLine, encodeLine, newline} from './lines.js';
import {checkNotNewer, checkVersion, damage, parseLine, type ReadContext} from './read-file.js';
import {Segment} from './segment.js';

/** What every version of the format, past and to come, promises of `store.json`. */
const Promised = z.object({format: z.literal(formatName), version: z.number()});

/** `store.json` of this version: one line as in every other file. */
const Description = z.extend(Promised, {createdAt: z.number(), serverSecret: z.string()});
export type Description = z.infer<typeof Description>;

/**
 * Makes the folder of a store if there is none.
 *
 * @throws StoreError when there is something else in its place
 */
export async function makeFolder(files: Files, folder: string): Promise<void> {
  try {
    const first = await files.mkdir(folder, {recursive: true, mode: modes.folder});
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = path.dirname(made)) {
      await syncFolder(files, path.dirname(made));
    }
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOTDIR') {
      throw new StoreError('format', `${folder} is a file; a JSON file store is a folder.`);
    }
    if (errorCode(error) === 'ENOENT') {
      throw new StoreError('unavailable', `${folder} is a link to a folder that is not there.`);
    }
    throw error;
  }
}

/**
 * Reads a store's description; undefined when the folder holds no store yet.
 *
 * @throws StoreError when it is damaged, of a version that this build cannot read, or not a store's
 */
export async function readDescription(context: ReadContext): Promise<Description | undefined> {
  const {files, folder, upgrades} = context;
  const file = inFolder(folder, names.store);
  let bytes: Buffer;
  try {
    bytes = await files.readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const promised = Promised.safeParse(parseJson(bytes.toString()));
  // Of a newer version nothing more than this is known, not even how its checksums are made.
  if (promised.success) checkNotNewer(file, promised.data.version);
  const description = parseDescription(file, bytes);
  checkVersion(file, description.version, upgrades);
  return description;
}

function parseDescription(file: string, bytes: Buffer): Description {
  try {
    if (bytes.at(-1) !== newline) throw new Error('it is cut short');
    return parseLine(Description, decodeLine(bytes.subarray(0, -1), 0).value);
  } catch (error) {
    throw damage(file, 1, error instanceof Error ? error.message : String(error));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Looks for a store without making anything.
 *
 * @throws StoreError of kind `missing`
 */
export async function checkThere(files: Files, folder: string): Promise<void> {
  try {
    if ((await files.readdir(folder)).some(isData)) return;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  }
  throw new StoreError('missing', `There is no store at ${folder}.`);
}

/**
 * A store is not made among other files.
 *
 * @throws StoreError of kind `format`
 */
export async function checkNothingForeign(files: Files, folder: string): Promise<void> {
  const listing = await files.readdir(folder);
  const foreign = listing.find((name) => !isLock(name) && !isTemporary(name) && !isData(name));
  if (foreign === undefined) return;
  throw new StoreError(
    'format',
    `${folder} holds other files (${inFolder(folder, foreign)}) and no store; name an empty or a new folder.`,
  );
}

/** Records without `store.json` are a damaged store, not a new one. Empty ones are of a making that was cut short. */
async function checkNoRecords(files: Files, folder: string): Promise<void> {
  for (const name of (await files.readdir(folder)).filter(isData)) {
    if ((await files.stat(inFolder(folder, name))).size > 0) {
      throw damage(inFolder(folder, names.store), undefined, 'it is missing');
    }
  }
}

/** Writes a store's description, in the current version. */
export async function writeDescription(
  files: Files,
  folder: string,
  {createdAt, serverSecret}: Pick<Description, 'createdAt' | 'serverSecret'>,
): Promise<Description> {
  const description: Description = {
    format: formatName,
    version: formatVersion,
    createdAt,
    serverSecret,
  };
  const members = JSON.stringify(description).slice(1, -1);
  await replaceFile(files, inFolder(folder, names.store), encodeLine(members, 0).bytes);
  return description;
}

/**
 * Makes an empty store. `store.json` comes last: from then on it is one.
 *
 * @param secret the server secret: a new one, unless the store is to be the copy of another
 * @throws StoreError when there are records already
 */
export async function createStore(
  files: Files,
  folder: string,
  createdAt: number,
  secret: Uint8Array = randomBytes(secretBytes),
): Promise<Description> {
  await checkNoRecords(files, folder);
  const first = await Segment.open(files, folder, 1, {length: 0, chain: 0});
  await first.close();
  const serverSecret = Buffer.from(secret).toString('base64url');
  return writeDescription(files, folder, {createdAt, serverSecret});
}

/** Takes away what others may do with the store's files, and says so. */
export async function tightenModes(files: Files, folder: string, log: StoreLog): Promise<void> {
  const data = (await files.readdir(folder)).filter(isData).map((name) => inFolder(folder, name));
  for (const target of [folder, ...data]) {
    const {mode} = await files.stat(target);
    if ((mode & 0o077) === 0) continue;
    const wanted = target === folder ? modes.folder : modes.file;
    await files.chmod(target, wanted);
    log.warn({path: target, mode: wanted.toString(8)}, 'the store was open to other users; closed');
  }
}

/** Removes what crashes left: unfinished files, and files that the snapshot `first` stands for. */
export async function removeLeftovers(files: Files, folder: string, first: number): Promise<void> {
  const listing = await files.readdir(folder);
  const before = (number: number): boolean => number < first;
  const leftovers = [
    ...listing.filter(isTemporary),
    ...numbersOf('snapshot', listing).filter(before).map(names.snapshot),
    ...numbersOf('journal', listing).filter(before).map(names.journal),
  ];
  for (const name of leftovers) {
    await files.rm(inFolder(folder, name), {recursive: true, force: true});
  }
}
