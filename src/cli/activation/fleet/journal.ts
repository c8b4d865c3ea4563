import {
  closeSync,
  constants,
  fdatasync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import {promisify} from 'node:util';
import * as z from 'zod/mini';
import {ownerOnly} from '../credentials-file.js';
import {Reservation} from '../notes.js';

/** Its name in the directory of the credentials files. */
export const journalName = '.connectorctl.journal';

/** One line: what begins for a credentials file; null once it is done. */
const Line = z.object({file: z.string(), reservation: z.nullable(Reservation)});
type Line = z.infer<typeof Line>;

/**
 * The activations under way in one file, so that one sync makes those of many rows durable. A line is
 * written before a token is used; of an ended run only those count that no later line settles.
 */
export class Journal {
  readonly #file: number;
  readonly #sync: () => Promise<void>;
  readonly #unfinished: Map<string, Reservation>;

  /** Opens the journal, with what a killed run left. */
  constructor(path: string) {
    const {O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW} = constants;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, ownerOnly);
    this.#sync = sharedSync(() => syncData(this.#file));
    this.#unfinished = unfinishedOf(readFileSync(this.#file, 'utf8'));
  }

  /** The activations that are not done, by the name of their credentials file. */
  get unfinished(): ReadonlyMap<string, Reservation> {
    return this.#unfinished;
  }

  /** Saves durably what a later run needs to finish an activation. */
  async begin(file: string, reservation: Reservation): Promise<void> {
    this.#write({file, reservation});
    this.#unfinished.set(file, reservation);
    await this.#sync();
  }

  /** An activation is done. The line may be lost with the power: a later run then finds the credentials. */
  settle(file: string): void {
    if (this.#unfinished.delete(file)) this.#write({file, reservation: null});
  }

  /** Forgets everything: it is elsewhere, and durable. */
  clear(): void {
    ftruncateSync(this.#file);
    this.#unfinished.clear();
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A full disk may have cut the line before. */
  #write(line: Line): void {
    writeFileSync(this.#file, `\n${JSON.stringify(line)}`);
  }
}

const syncData = promisify(fdatasync);

function unfinishedOf(text: string): Map<string, Reservation> {
  const found = new Map<string, Reservation>();
  for (const line of text.split('\n')) {
    const read = parsed(line);
    if (read === undefined) continue;
    if (read.reservation === null) found.delete(read.file);
    else found.set(read.file, read.reservation);
  }
  return found;
}

function parsed(line: string): Line | undefined {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Shares one sync among all callers that wait for one: it begins after their calls. */
export function sharedSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = async () => {
    running = sync();
    try {
      await running;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
