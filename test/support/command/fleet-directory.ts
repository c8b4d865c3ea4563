import {readdirSync, writeFileSync} from 'node:fs';

const results = ['activated', 'already', 'planned', 'failed', 'uncertain', 'skipped'] as const;

/** A line of `connector enroll -o ndjson`. */
interface FleetRow {
  readonly line: number;
  readonly name: string;
  readonly file: string;
  readonly result: (typeof results)[number];
  readonly id: string | null;
  readonly error: {readonly kind: string; readonly message: string} | null;
}

export const rowsOf = (stdout: string): FleetRow[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** How many rows have each result. */
export const countOf = (rows: readonly FleetRow[]) =>
  Object.fromEntries(
    results
      .map((result) => [result, rows.filter((row) => row.result === result).length] as const)
      .filter(([, number]) => number > 0),
  );

export const namesFrom = (count: number) =>
  Array.from({length: count}, (_, index) => `m-${index + 1}`);

/**
 * A list of machines and the directory of their credentials.
 *
 * @param at a path in a temporary directory
 */
export function fleetDirectory(at: (...names: string[]) => string) {
  const out = () => at('out');
  return {
    out,
    files: () => readdirSync(out()).sort(),
    /** Writes the list of machines, and returns its path. */
    list(...lines: string[]) {
      writeFileSync(at('machines.csv'), `${lines.join('\n')}\n`);
      return at('machines.csv');
    },
    argv: (from: string, ...more: string[]) => [
      ...['connector', 'enroll', from, '--credentials-dir', out()],
      ...more,
    ],
    options: (url: string, env: Readonly<Record<string, string>> = {}) => ({
      env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'organization-key', ...env},
    }),
  };
}
