import {connectorStatuses} from '../contract/limits.js';
import {type Batched, batched, batchesOf} from '../domain/batches.js';
import type {Selectable, Selection} from '../domain/selection.js';
import {AppError} from '../errors.js';
import {suggestion} from './errors/suggestion.js';

/** An id of the reference service. `domain/ids.ts` would load a library for every `connector get`. */
export const referenceId = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;

const filters = ['status', 'name'] as const;

/**
 * Passes connectors on to the filters, and fails when a filter excludes all of them only because it
 * cannot be applied: an empty list would read as "none is offline".
 *
 * @throws AppError `protocol` at the end when no connector has the field of a filter, `usage` at the
 *   first connector when the reference service does not know the status
 */
export function withJudgedFilters<T extends Selectable>(
  connectors: AsyncIterable<T>,
  selection: Selection,
): Batched<T> {
  return batched(judgedBatches(connectors, selection));
}

async function* judgedBatches<T extends Selectable>(
  connectors: AsyncIterable<T>,
  selection: Selection,
): AsyncGenerator<readonly T[], void, undefined> {
  const unjudged = new Set(filters.filter((field) => selection[field] !== undefined));
  let isEmpty = true;
  for await (const batch of batchesOf(connectors)) {
    const [first] = batch;
    if (isEmpty && first) checkStatus(selection.status, first);
    isEmpty = false;
    for (const field of unjudged) {
      if (batch.some((connector) => connector[field] !== undefined)) unjudged.delete(field);
    }
    yield batch;
  }
  const [field] = unjudged;
  if (field === undefined || isEmpty) return;
  throw new AppError(
    'protocol',
    `Cannot filter by --${field}: no connector of this service has a readable ${field}.`,
    {hint: 'See what the service returns with: connectorctl connector list --json'},
  );
}

/**
 * Refuses a status that the reference service does not have.
 *
 * @param connector its id shows whether this is the reference service
 * @throws AppError `usage`
 */
export function checkStatus(status: string | undefined, {id}: Pick<Selectable, 'id'>): void {
  const statuses: readonly string[] = connectorStatuses;
  if (status === undefined || statuses.includes(status.toLowerCase())) return;
  if (!referenceId.test(id)) return;
  const near = suggestion(status.toLowerCase(), statuses);
  const all = `The statuses are: ${statuses.join(', ')}.`;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: near === undefined ? all : `Did you mean ${near}? ${all}`,
  });
}
