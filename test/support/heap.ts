import {programBytes, recordsPart} from '../../src/system/heap.js';

const mebibyte = 1024 * 1024;

/** MiB of a process of any supported Node.js besides its old generation, which --max-old-space-size limits. */
export const memoryBesideHeap = 512;

/**
 * Options of Node.js for a heap of so many MiB. V8 counts its young generation, three semi-spaces of up to 64 MiB, against
 * the limit of the old one: on a small heap it would collect all of it without end.
 */
export const heapOptions = (heap: number): string =>
  `--max-old-space-size=${heap} --max-semi-space-size=8`;

/** The least heap in MiB of a service: with less, a list of 10,000 connectors takes ten times the CPU time. */
const leastHeap = 48;

/** The heap in MiB that has room for records of so many bytes and for further ones, rounded up to a multiple of 16. */
export function heapFor(recordBytes: number): number {
  const needed = Math.ceil((recordBytes / recordsPart + programBytes) / mebibyte / 16) * 16;
  return Math.max(needed, leastHeap);
}
