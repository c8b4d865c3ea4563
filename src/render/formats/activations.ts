import type {ErrorKind} from '../../errors.js';
import {renderGrid} from '../table/grid.js';
import {jsonLine} from './json.js';

/** The possible results of a row of a list of machines. */
export const activationResults = [
  'activated',
  'already',
  'failed',
  'uncertain',
  'skipped',
] as const;

/** A row of a list of machines, and its result. It holds no secret. */
export interface ActivationResult {
  readonly machine: {
    readonly line: number;
    readonly name: string;
    readonly file: string;
    readonly recipient: string | undefined;
    readonly further: readonly string[];
  };
  readonly result: (typeof activationResults)[number];
  readonly id?: string | undefined;
  readonly error?: {readonly kind: ErrorKind; readonly message: string} | undefined;
}

/** The columns of a list of machines. */
export interface ActivationColumns {
  readonly encrypts: boolean;
  readonly furtherColumns: readonly string[];
}

/** One result as a line of JSON; the further columns are in `columns`. */
export function activationLine(
  {machine, result, id, error}: ActivationResult,
  {furtherColumns}: ActivationColumns,
): string {
  const {line, name, file, recipient, further} = machine;
  const columns = Object.fromEntries(furtherColumns.map((title, at) => [title, further[at] ?? '']));
  return `${jsonLine({
    line,
    name,
    file,
    ...(recipient !== undefined && {recipient}),
    result,
    id: id ?? null,
    error: error === undefined ? null : {kind: error.kind, message: error.message},
    ...(furtherColumns.length > 0 && {columns}),
  })}\n`;
}

/** The results as a table. */
export function activationsTable(
  results: readonly ActivationResult[],
  width: number | undefined,
): Promise<string> {
  const rows = results.map(({machine: {name, file}, result, id = '', error}) => {
    return [name, result, id, file, error?.message ?? ''];
  });
  return renderGrid(['NAME', 'RESULT', 'ID', 'FILE', 'ERROR'], rows, width);
}
