import type {ErrorKind} from '../../errors.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {type Column, tableRows} from '../../terminal/table/table.js';

/** The possible results of a row of a list of machines; `planned` is that of a dry run. */
export const activationResults = [
  'activated',
  'already',
  'planned',
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
    readonly further: readonly string[];
  };
  readonly result: (typeof activationResults)[number];
  readonly id?: string | undefined;
  /** Whether the credentials file has a known API key; undefined where it is not there or not known. */
  readonly hasKey?: boolean | undefined;
  readonly error?: {readonly kind: ErrorKind; readonly message: string} | undefined;
}

/** The columns of a list of machines. */
export interface ActivationColumns {
  readonly furtherColumns: readonly string[];
}

/** One result as a line of JSON; the further columns are in `columns`. */
export function activationLine(
  {machine, result, id, error}: ActivationResult,
  {furtherColumns}: ActivationColumns,
): string {
  const {line, name, file, further} = machine;
  const columns = Object.fromEntries(furtherColumns.map((title, at) => [title, further[at] ?? '']));
  return `${jsonLine({
    line,
    name,
    file,
    result,
    id: id ?? null,
    error: error === undefined ? null : {kind: error.kind, message: error.message},
    ...(furtherColumns.length > 0 && {columns}),
  })}\n`;
}

const columns: readonly Column<ActivationResult>[] = [
  {title: 'NAME', value: ({machine}) => machine.name},
  {title: 'RESULT', value: ({result}) => result},
  {title: 'ID', value: ({id}) => id},
  {title: 'FILE', value: ({machine}) => machine.file},
  {title: 'ERROR', value: ({error}) => error?.message, optional: true},
];

/** The results as a table. */
export async function activationsTable(
  results: readonly ActivationResult[],
  width: number | undefined,
): Promise<string> {
  return [...(await tableRows(results, columns, width))].join('');
}
