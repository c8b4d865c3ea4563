/** Reads at most `limit` rows whose keys come after `after`, and not after `upTo`, in their order. */
export type ReadRange<Row> = (
  after: string,
  upTo: string | undefined,
  limit: number,
) => Promise<readonly Row[]>;

/** Rows that are yielded at a time, at most. */
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

/** Rows that are asked of every shard to learn how close together keys are, and of all at once then. */
const [probe, stretch] = [100, 4000] as const;

/**
 * Reads rows in the order of their keys from a table with many shards. Of `LIMIT n` each shard sends n
 * rows, whatever their number, and most of them are thrown away. Of a range of keys each sends what it
 * has. So the range in which the next rows probably are is worked out from the last ones.
 */
export async function* readStretches<Row>(
  read: ReadRange<Row>,
  keyOf: (row: Row) => string,
  after: string,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  let last = after;
  let left = limit;
  let known: readonly Row[] = [];
  while (left > 0) {
    const upTo = nextBound(known.map(keyOf), Math.min(stretch, left));
    const wanted = Math.min(upTo === undefined ? probe : stretch, left);
    const rows = await read(last, upTo, wanted);
    for (let from = 0; from < rows.length; from += page) yield rows.slice(from, from + page);
    left -= rows.length;
    const end = rows.at(-1);
    if (end !== undefined && rows.length === wanted) last = keyOf(end);
    else if (upTo === undefined) return;
    else last = upTo;
    // A range with next to nothing in it says little about what comes after it.
    known = rows.length >= probe / 2 ? rows.slice(-probe) : [];
  }
}

/** How many characters after the common beginning of two keys count. */
const precision = 10;

/**
 * A key before which so many rows probably come, judged by the distance of those that are known; undefined
 * when nothing can be said. A key is read as a number whose digits are the characters of all that are known.
 */
function nextBound(known: readonly string[], rows: number): string | undefined {
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const characters = [...new Set(known.join(''))].sort();
  // Beyond ASCII the database may have another order.
  if (characters.some((character) => character > '~')) return undefined;
  let common = 0;
  while (first[common] === last[common]) common += 1;
  const length = common + precision;
  const base = BigInt(characters.length);
  const toNumber = (key: string): bigint =>
    Array.from({length}, (_, index) => Math.max(0, characters.indexOf(key[index] ?? ''))).reduce(
      (number, digit) => number * base + BigInt(digit),
      0n,
    );
  const [from, to] = [toNumber(first), toNumber(last)];
  // A quarter more: one read too many costs more than some rows that the limit cuts off.
  const bound = to + ((to - from) * BigInt(rows) * 5n) / BigInt(known.length * 4) + 1n;
  if (bound >= base ** BigInt(length)) return undefined;
  const digits: string[] = [];
  for (let rest = bound; digits.length < length; rest /= base) {
    digits.push(characters[Number(rest % base)] ?? '');
  }
  return digits.reverse().join('');
}
