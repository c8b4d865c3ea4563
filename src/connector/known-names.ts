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

/**
 * Requires that some connector, if there are any, has the field of a filter: an empty list would read as "none is
 * offline".
 *
 * @throws AppError `protocol`
 */
export function requireFilterField(
  filter: string,
  field: ConnectorField,
  connectors: readonly JsonObject[],
): void {
  const {read} = connectorField[field];
  if (connectors.length === 0 || connectors.some((one) => read(one) !== undefined)) return;
  const message = `Cannot filter by --${filter}: no connector of this service has a readable ${field}.`;
  throw new AppError('protocol', message, {
    hint: 'See what the service returns with: connectorctl connector list --json',
  });
}

/** Whether any service may leave a field out, so that its absence from all connectors is no mistake of the user. */
export const isOptional = (field: string): boolean =>
  connectorFields.some((known) => known === field && !fieldRow(known).referenceOnly);

/**
 * Requires that some connector, if there are any, has a field, or that any service may leave it out.
 *
 * @param verb what cannot be done otherwise, such as `sort by`
 * @throws AppError `usage`
 */
export function requireField(verb: string, field: string, connectors: readonly JsonObject[]): void {
  if (isOptional(field)) return;
  const read = valueReader(field);
  const last = connectors.at(-1);
  if (last === undefined || connectors.some((one) => read(one) !== undefined)) return;
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
 * Refuses a status that the reference service does not have; any connector shows whether this is that service.
 *
 * @throws AppError `usage`
 */
export function checkStatus(status: string, connector: JsonObject = {}): void {
  const word = status.toLowerCase();
  if (connectorStatuses.some((known) => known === word)) return;
  if (!referenceId.test(connectorField.id.read(connector) ?? '')) return;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: hintAmong(word, 'statuses', connectorStatuses),
  });
}
