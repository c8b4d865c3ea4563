import {createCipheriv, createHash} from 'node:crypto';

/** A stream of bytes that is the same in each run, because a text determines it. The frozen stores have their secrets from one. */
export function seededBytes(seed: string): (size: number) => Buffer {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (size) => cipher.update(Buffer.alloc(size));
}

/** Numbers in [0, 1) that are the same in each run. */
export function seededNumbers(seed: string): () => number {
  const bytes = seededBytes(seed);
  return () => bytes(6).readUIntBE(0, 6) / 2 ** 48;
}
