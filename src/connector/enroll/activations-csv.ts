import {stringify} from 'csv-stringify/sync';
import {escapeControl} from '../../terminal/escape.js';
import {csvLayout} from '../../terminal/formats/csv.js';
import type {ActivationColumns, ActivationResult} from './activations.js';

/**
 * The results as CSV that is itself a list of machines: the columns of the list, then `result`, `id`
 * and `error`. Cells of the list are unchanged; an id, which the service chose, cannot be a formula.
 */
export function activationsCsv(
  results: readonly ActivationResult[],
  {furtherColumns}: ActivationColumns,
): string {
  const header = ['name', 'file', ...furtherColumns];
  const rows = results.map(({machine, result, id, error}) => [
    machine.name,
    machine.file,
    ...machine.further,
    result,
    withoutFormula(escapeControl(id ?? '')),
    error?.kind ?? '',
  ]);
  return stringify([[...header, 'result', 'id', 'error'], ...rows], csvLayout);
}

function withoutFormula(text: string): string {
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}
