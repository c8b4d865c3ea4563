/** Initial sizes, enough for several hundred connectors; doubled when full. */
const firstRows = 1024;
const firstBytes = 64 * 1024;

/**
 * Texts, each found by its beginning, in one buffer: a text takes its bytes in UTF-8 and about 30 more. Strings
 * and objects in a Map take two to three times as much, and the garbage collector visits every one of them.
 */
export class TextTable {
  #bytes = Buffer.alloc(firstBytes);
  #end = 0;
  #starts = new Uint32Array(firstRows);
  #lengths = new Uint32Array(firstRows);
  #hashes = new Int32Array(firstRows);
  /** Open addressing: the row and one, or 0. At least half of them are empty. */
  #slots = new Int32Array(firstRows * 2);
  #size = 0;

  /** The number of texts. Their rows are 0 to `size - 1`, in the order in which they were added. */
  get size(): number {
    return this.#size;
  }

  /** The row of the text that begins with this key. No key may be the beginning of another one. */
  find(key: string): number | undefined {
    const bytes = Buffer.from(key);
    const row = (this.#slots[this.#slotOf(bytes, hashOf(bytes))] ?? 0) - 1;
    return row === -1 ? undefined : row;
  }

  get(row: number): string {
    const start = this.#starts[row] ?? 0;
    return this.#bytes.toString('utf8', start, start + (this.#lengths[row] ?? 0));
  }

  /** Adds a text that begins with a new key, and returns its row. */
  add(key: string, text: string): number {
    const row = this.#size;
    if (row === this.#starts.length) this.#grow();
    const bytes = Buffer.from(key);
    const hash = hashOf(bytes);
    this.#hashes[row] = hash;
    this.#slots[this.#slotOf(bytes, hash)] = row + 1;
    this.#size += 1;
    this.#store(row, text);
    return row;
  }

  /** Replaces a text by one with the same key. */
  replace(row: number, text: string): void {
    this.#store(row, text);
  }

  /** Removes the texts of other rows. The rows that stay get new numbers, in the same order. */
  retain(isKept: (row: number) => boolean): void {
    let kept = 0;
    for (let row = 0; row < this.#size; row += 1) {
      if (!isKept(row)) continue;
      this.#starts[kept] = this.#starts[row] ?? 0;
      this.#lengths[kept] = this.#lengths[row] ?? 0;
      this.#hashes[kept] = this.#hashes[row] ?? 0;
      kept += 1;
    }
    this.#size = kept;
    this.#fillSlots(this.#slots.length);
  }

  /** The slot of the row with this key, or the empty one where it belongs. */
  #slotOf(key: Buffer, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row === -1 || (this.#hashes[row] === hash && this.#begins(row, key))) return slot;
    }
  }

  #begins(row: number, key: Buffer): boolean {
    const start = this.#starts[row] ?? 0;
    return this.#bytes.compare(key, 0, key.length, start, start + key.length) === 0;
  }

  #store(row: number, text: string): void {
    const length = Buffer.byteLength(text);
    // The bytes of a replaced text are free.
    this.#lengths[row] = 0;
    if (this.#end + length > this.#bytes.length) this.#makeRoom(length);
    this.#starts[row] = this.#end;
    this.#lengths[row] = length;
    this.#end += this.#bytes.write(text, this.#end);
  }

  /** Moves the texts together into a buffer twice as large as they are. */
  #makeRoom(length: number): void {
    const used = this.#lengths.subarray(0, this.#size).reduce((sum, one) => sum + one, length);
    const bytes = Buffer.alloc(Math.max(used * 2, firstBytes));
    let end = 0;
    for (let row = 0; row < this.#size; row += 1) {
      const start = this.#starts[row] ?? 0;
      this.#starts[row] = end;
      end += this.#bytes.copy(bytes, end, start, start + (this.#lengths[row] ?? 0));
    }
    this.#bytes = bytes;
    this.#end = end;
  }

  #grow(): void {
    const rows = this.#starts.length * 2;
    this.#starts = grown(this.#starts, new Uint32Array(rows));
    this.#lengths = grown(this.#lengths, new Uint32Array(rows));
    this.#hashes = grown(this.#hashes, new Int32Array(rows));
    this.#fillSlots(rows * 2);
  }

  #fillSlots(length: number): void {
    this.#slots = new Int32Array(length);
    const mask = length - 1;
    for (let row = 0; row < this.#size; row += 1) {
      let slot = (this.#hashes[row] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = row + 1;
    }
  }
}

function grown<T extends Int32Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** FNV-1a, 32 bits, mixed once more: ids often differ only in their last characters. */
function hashOf(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
