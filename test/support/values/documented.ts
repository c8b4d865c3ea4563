import {readFileSync} from 'node:fs';

/** What another program sends, by its documentation or by a run of it. */
export interface Documented {
  readonly service: string;
  readonly version: string;
  /** The page that documents it, the file of the package that does it, or how it was run. */
  readonly source: string;
}

/** The rows of a table of `test/client/names`, which has one per line. */
export function documented<Row extends Documented>(
  table: 'connectors' | 'errors' | 'paging' | 'times',
): readonly Row[] {
  const file = new URL(`../../client/names/${table}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The names of all fields in a value. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

/** The letters of a name, which `error_code` and `errorCode` share. */
export const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');

/** The names in the product that no row has, in any spelling. */
export function undocumented(names: readonly string[], rows: readonly object[]): readonly string[] {
  const known = new Set(namesIn(rows).map(lettersOf));
  return names.filter((name) => !known.has(lettersOf(name)));
}
