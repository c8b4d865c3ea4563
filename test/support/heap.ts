import {programBytes, recordsPart} from '../../src/system/heap.js';

const mebibyte = 1024 * 1024;

/** MiB of a process of any supported Node.js besides its old generation, which --max-old-space-size limits. */
export const memoryBesideHeap = 512;

/** The heap in MiB that has room for records of so many bytes and for further ones, rounded up to a multiple of 16. */
export function heapFor(recordBytes: number): number {
  return Math.ceil((recordBytes / recordsPart + programBytes) / mebibyte / 16) * 16;
}
