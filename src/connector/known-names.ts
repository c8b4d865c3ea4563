import {
  type ConnectorField,
  connectorField,
  connectorFields,
  fieldRow,
  valueReader,
} from '../client/read/connector.js';
import {connectorStatuses, referenceId} from '../contract/limits.js';
import type {JsonObject} from '../domain/json.js';
import {suggestion} from '../domain/suggestion.js';
import {AppError} from '../errors.js';

/** The statuses and fields that a command line names. */
interface GivenNames {
  /** The fields that filters need, by the flag of the filter. */
  readonly filters?: Readonly<Record<string, ConnectorField>> | undefined;
  readonly status?: readonly string[] | undefined;
  /** The field, after `-` in descending order. */
  readonly sort?: string | undefined;
  readonly columns?: readonly string[] | undefined;
}

/**
 * Fails when no connector has the field of a filter, an order or a column: an empty list would read as
 * "none is offline".
 *
 * @throws AppError `protocol` for the field of a filter; `usage` for a field to sort by or to show, except a row of
 *   `connectorField` that any service may leave out, and for a status that the reference service does not have
 */
export function checkNames(connectors: readonly JsonObject[], given: GivenNames): void {
  const [first] = connectors;
  if (first === undefined) return;
  const {filters = {}, status = [], sort, columns = []} = given;
  for (const word of status) checkStatus(word, connectorField.id.read(first) ?? '');
  for (const [filter, field] of Object.entries(filters)) {
    if (connectors.some((one) => connectorField[field].read(one) !== undefined)) continue;
    const message = `Cannot filter by --${filter}: no connector of this service has a readable ${field}.`;
    throw new AppError('protocol', message, {
      hint: 'See what the service returns with: connectorctl connector list --json',
    });
  }
  if (sort !== undefined) requireField('sort by', sort.replace(/^-/, ''), connectors);
  for (const column of columns) requireField('show', column, connectors);
}

/** Requires that some connector has a field, unless the field is optional for a service. */
function requireField(verb: string, field: string, connectors: readonly JsonObject[]): void {
  const read = valueReader(field);
  if (connectorFields.some((known) => known === field && !fieldRow(known).referenceOnly)) return;
  if (connectors.some((one) => read(one) !== undefined)) return;
  const last = connectors.at(-1) ?? {};
  const there = connectorFields.filter((one) => connectorField[one].read(last) !== undefined);
  throw new AppError('usage', `Cannot ${verb} ${field}: no connector has this field.`, {
    hint: hintAmong(field, 'fields', [...new Set([...there, ...Object.keys(last)])]),
  });
}

/** A hint that lists all valid words, and suggests the one that was probably meant. */
function hintAmong(word: string, what: string, words: readonly string[]): string {
  const near = suggestion(word, words);
  const all = `The ${what} are: ${words.join(', ')}.`;
  return near === undefined ? all : `Did you mean ${near}? ${all}`;
}

/**
 * Refuses a status that the reference service does not have.
 *
 * @param id of a connector, which shows whether this is the reference service
 * @throws AppError `usage`
 */
export function checkStatus(status: string, id: string): void {
  const word = status.toLowerCase();
  if (connectorStatuses.some((known) => known === word) || !referenceId.test(id)) return;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: hintAmong(word, 'statuses', connectorStatuses),
  });
}
