/** Reads up to `limit` rows in the order of their keys, after `after` and up to and including `upTo`. */
type ReadRange<Row> = (
  after: string,
  upTo: string | undefined,
  limit: number,
) => Promise<readonly Row[]>;

/** Maximum number of rows that are yielded at a time. */
const page = 1000;

/** Reads rows in the order of their keys from a table on one server. */
export async function* readPages<Row>(
  read: ReadRange<Row>,
  keyOf: (row: Row) => string,
  after: string,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  let left = limit;
  let last = after;
  while (left > 0) {
    const wanted = Math.min(page, left);
    const rows = await read(last, undefined, wanted);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    if (rows.length < wanted) return;
    left -= rows.length;
    last = keyOf(end);
  }
}

/** Number of rows to read first, to learn the density of the keys. */
const probe = 100;

/**
 * Number of rows to read at once afterwards. Each read asks every shard, so many rows at once save time;
 * 10,000 take a few megabytes of memory.
 */
const range = 10_000;

/**
 * Reads rows in the order of their keys from a table with many shards. For `LIMIT n` each shard sends n
 * rows, and most of them are discarded. For a range of keys each shard sends only its rows in the range.
 * So this function estimates the range of the next rows from the density of the last ones.
 */
export async function* readShardedPages<Row>(
  read: ReadRange<Row>,
  keyOf: (row: Row) => string,
  after: string,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  let last = after;
  let left = limit;
  let known: readonly Row[] = [];
  while (left > 0) {
    const upTo = nextBound(known.map(keyOf), Math.min(range, left));
    const wanted = Math.min(upTo === undefined ? probe : range, left);
    const rows = await read(last, upTo, wanted);
    for (let from = 0; from < rows.length; from += page) yield rows.slice(from, from + page);
    left -= rows.length;
    const end = rows.at(-1);
    if (end !== undefined && rows.length === wanted) last = keyOf(end);
    else if (upTo === undefined) return;
    else last = upTo;
    // A nearly empty range says little about the density of the next keys.
    known = rows.length >= probe / 2 ? rows.slice(-probe) : [];
  }
}

/**
 * Estimates the key up to which the next rows lie from the distance of known keys; undefined when no estimate
 * is possible. A key is treated as a number whose digits are the characters that occur in the known keys.
 */
function nextBound(known: readonly string[], rows: number): string | undefined {
  const first = known[0];
  const last = known.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const characters = [...new Set(known.join(''))].sort();
  // The database may sort characters beyond ASCII differently.
  if (characters.some((character) => character > '~')) return undefined;
  const length = Math.max(first.length, last.length);
  const base = BigInt(characters.length);
  const toNumber = (key: string): bigint =>
    Array.from({length}, (_, index) => Math.max(0, characters.indexOf(key[index] ?? ''))).reduce(
      (number, digit) => number * base + BigInt(digit),
      0n,
    );
  const from = toNumber(first);
  const to = toNumber(last);
  // Add a quarter: one more read costs more than a few rows beyond the limit.
  const bound = to + ((to - from) * BigInt(rows) * 5n) / BigInt(known.length * 4) + 1n;
  if (bound >= base ** BigInt(length)) return undefined;
  const digits: string[] = [];
  for (let rest = bound; digits.length < length; rest /= base) {
    digits.push(characters[Number(rest % base)] ?? '');
  }
  return digits.reverse().join('');
}
