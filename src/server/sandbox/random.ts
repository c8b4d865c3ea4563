import {createCipheriv, createHash} from 'node:crypto';

export type RandomBytes = (size: number) => Buffer;

/**
 * A stream of random bytes determined by a seed and a name: the key stream of AES-256 in counter mode. Streams with
 * different names are independent, so that one consumer of randomness does not affect another.
 */
export function randomStream(seed: number, name: string): RandomBytes {
  const key = createHash('sha256').update(`${seed} ${name}`).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (size) => cipher.update(Buffer.alloc(size));
}

/** A uniform random number in [0, 1) from a stream. */
export function fraction(random: RandomBytes): number {
  return random(6).readUIntBE(0, 6) / 2 ** 48;
}
