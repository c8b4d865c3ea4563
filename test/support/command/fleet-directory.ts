import {readdirSync, writeFileSync} from 'node:fs';

const results = ['activated', 'already', 'planned', 'failed', 'uncertain', 'skipped'] as const;

/** A machine in the report of `connector enroll --json`. */
interface FleetRow {
  readonly name: string;
  readonly result: (typeof results)[number];
  readonly id: string | null;
  readonly message: string;
}

interface RowFinding {
  readonly id: FleetRow['result'];
  readonly subject: string;
  readonly message: string;
  readonly details?: {readonly id: string | null};
}

export const rowsOf = (stdout: string): FleetRow[] =>
  (JSON.parse(stdout).findings as RowFinding[]).flatMap(
    ({id: result, subject: name, message, details}) =>
      details === undefined ? [] : [{name, result, id: details.id, message}],
  );

/** The number of rows by result. */
export const countOf = (rows: readonly Pick<FleetRow, 'result'>[]) =>
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
