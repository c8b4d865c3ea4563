import {hash} from 'node:crypto';
import type {TransferRecord} from './transfer.js';

/** Number of records and their checksum: equal for the same records in any order. */
export interface SectionDigest {
  readonly records: number;
  /** The sum of the SHA-256 of all records modulo 2^256, hexadecimal. */
  readonly sha256: string;
}

const modulus = 1n << 256n;
const hexadecimals = 64;

/**
 * Counts records and adds up their hashes. A sum and not XOR, in which two equal records cancel out.
 *
 * @param onProgress called with the number of records so far, after each batch
 */
export async function digest(
  batches: AsyncIterable<readonly TransferRecord[]>,
  onProgress?: (records: number) => void,
): Promise<SectionDigest> {
  let records = 0;
  let sum = 0n;
  for await (const batch of batches) {
    for (const record of batch) sum += BigInt(`0x${hash('sha256', canonical(record), 'hex')}`);
    sum %= modulus;
    records += batch.length;
    onProgress?.(records);
  }
  return {records, sha256: sum.toString(16).padStart(hexadecimals, '0')};
}

/** A record as JSON text with its members in a fixed order. */
function canonical(record: TransferRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
