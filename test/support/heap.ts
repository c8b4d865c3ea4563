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

/** Bytes of the heap that the program itself and the requests in progress take. */
const programBytes = 24 * mebibyte;

/**
 * Bytes of the heap per record, with a quarter more for the growth of tables: measured are 236 for a token, and 332 for
 * a connector with a name of 16 characters.
 */
const recordBytes = {tokens: 320, connectors: 552};

/** The share of the remaining heap for records; garbage collection needs the rest. */
const recordsPart = 0.7;

/** The heap in MiB for so many records and for further ones, rounded up to a multiple of 16. */
export function heapFor({tokens = 0, connectors}: {tokens?: number; connectors: number}): number {
  const bytes = tokens * recordBytes.tokens + connectors * recordBytes.connectors;
  const needed = Math.ceil((bytes / recordsPart + programBytes) / mebibyte / 16) * 16;
  return Math.max(needed, leastHeap);
}
