import type {StatusBounds} from '../../domain/liveness.js';
import type {StoreMeasure} from '../store.js';
import type {Compactor} from './compactor.js';
import type {FileDisk} from './file-disk.js';
import {fileError} from './files.js';
import {BrokenFileError} from './log-file.js';
import {type MemoryParts, MemoryStore} from './memory-store.js';
import type {StoreLock} from './store-lock.js';

/** What keeps a store on the disk. */
interface StoreFiles {
  readonly disk: FileDisk;
  readonly compactor: Compactor;
  readonly lock: StoreLock;
}

/** The store in a file of JSON lines. Reads come from memory, which holds what is on disk. */
export class JsonFileStore extends MemoryStore {
  readonly #files: StoreFiles;

  constructor(parts: MemoryParts, files: StoreFiles) {
    super(parts);
    this.#files = files;
  }

  override async measure(bounds: StatusBounds): Promise<StoreMeasure> {
    return {...(await super.measure(bounds)), bytes: this.#files.disk.file.length};
  }

  override async check(): Promise<readonly string[]> {
    const {writer} = this.opened();
    await this.#files.lock.verifyHeld();
    if (writer.failure !== undefined) {
      if (writer.failure instanceof BrokenFileError) throw writer.failure;
      // Only a write shows whether there is room again: here one without records.
      await writer.write((tx) => tx.touch());
    }
    return [];
  }

  /** For `transfer.ts`, which is the only user of the store. */
  get components(): Pick<MemoryParts, 'state' | 'writer'> {
    return this.opened();
  }

  /** Writes the file anew without what was overwritten, as the store does when it has grown. */
  async compact(): Promise<void> {
    this.opened();
    await this.#files.compactor.compact();
  }

  protected override async release(): Promise<void> {
    const {disk, compactor, lock} = this.#files;
    await compactor.close();
    await super.release();
    try {
      await disk.close().finally(() => lock.release());
    } catch (error) {
      throw fileError('the store cannot be closed', error);
    }
  }
}
