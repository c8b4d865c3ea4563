const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/**
 * Computes PostgreSQL's `hashtext`: `hash_bytes` of `src/common/hashfn.c`, which is Bob
 * Jenkins' lookup3 on a little-endian machine. Citus distributes the rows of a table by it.
 */
export function hashText(text: string): number {
  const bytes = Buffer.from(text);
  // 32-bit words; `| 0` truncates a sum to 32 bits.
  let a = (0x9e3779b9 + bytes.length + 3923095) | 0;
  let b = a;
  let c = a;
  let at = 0;
  for (; bytes.length - at >= 12; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0;
    b = (b + bytes.readInt32LE(at + 4)) | 0;
    c = (c + bytes.readInt32LE(at + 8)) | 0;
    a = ((a - c) | 0) ^ rotate(c, 4);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotate(a, 6);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotate(b, 8);
    b = (b + a) | 0;
    a = ((a - c) | 0) ^ rotate(c, 16);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotate(a, 19);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotate(b, 4);
    b = (b + a) | 0;
  }
  const byte = (index: number, shift: number): number => (bytes[at + index] ?? 0) << shift;
  a = (a + (byte(0, 0) | byte(1, 8) | byte(2, 16) | byte(3, 24))) | 0;
  b = (b + (byte(4, 0) | byte(5, 8) | byte(6, 16) | byte(7, 24))) | 0;
  // The lowest byte of the last word is reserved for the length.
  c = (c + (byte(8, 8) | byte(9, 16) | byte(10, 24))) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

/** Finds a text that no id equals, and whose hash is at least `from` and below `below`. */
export function findText(from: number, below: number): string {
  for (let number = 0; ; number += 1) {
    const hash = hashText(`probe ${number}`);
    if (hash >= from && hash < below) return `probe ${number}`;
  }
}
