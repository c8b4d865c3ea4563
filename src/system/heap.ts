import {getHeapStatistics} from 'node:v8';

const mebibyte = 1024 * 1024;

/**
 * The largest semi-space of V8 in MiB, by major version of Node.js. `heap_size_limit` includes the young generation,
 * which is three of them, but records live in the old generation.
 */
const semiSpaces: Readonly<Record<string, number>> = {20: 16, 22: 16, 24: 64, 26: 32};
const otherSemiSpace = 64;

/** Bytes of the old generation that the program itself and the requests in progress take. */
export const programBytes = 24 * mebibyte;

/** The share of the remaining heap for records; garbage collection and growing tables need the rest. */
export const recordsPart = 0.7;

/** Sizes of the heap in bytes. */
interface HeapLimits {
  /** The limit of the old generation: beyond it V8 ends the process. */
  readonly total: number;
  /** For the records of a store that keeps them in memory. */
  readonly records: number;
}

/** The settings that determine the limits. */
interface HeapSettings {
  /** `heap_size_limit` of V8, in bytes. */
  readonly limit: number;
  readonly nodeVersion: string;
  /** Options of Node.js, from its command line and NODE_OPTIONS. */
  readonly options: string;
}

/** Derives the limits; leaves room for a few thousand records even in the smallest heap. */
export function deriveHeapLimits({limit, nodeVersion, options}: HeapSettings): HeapLimits {
  const [major = ''] = nodeVersion.split('.');
  const [, chosen] = /max[-_]semi[-_]space[-_]size[= ](\d+)/.exec(options) ?? [];
  const semiSpace = Number(chosen ?? 0) || (semiSpaces[major] ?? otherSemiSpace);
  const total = Math.max(limit - 3 * semiSpace * mebibyte, 16 * mebibyte);
  const records = Math.max(total - programBytes, 3 * mebibyte) * recordsPart;
  return {total, records};
}

export function heapLimits(): HeapLimits {
  return deriveHeapLimits({
    limit: getHeapStatistics().heap_size_limit,
    nodeVersion: process.versions.node,
    options: `${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS'] ?? ''}`,
  });
}
