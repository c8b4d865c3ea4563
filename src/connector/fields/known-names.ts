import {
  type ConnectorField,
  connectorField,
  connectorFields,
  isEvaluated,
  unreadable,
  valueReader,
} from '../../client/read/connector.js';
import {connectorStatuses, referenceId} from '../../contract/limits.js';
import type {JsonObject} from '../../domain/json.js';
import {suggestion} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {shownWord} from '../../terminal/notices.js';
import {fieldLayouts} from './table.js';

/** The longest excerpt of an unreadable value in an error, in UTF-16 code units. */
const longestSample = 100;

/**
 * Requires that the value that a service sent for a field is readable: a filter or a rule would ignore it otherwise.
 *
 * @param purpose what cannot be done otherwise, such as `filter by --status`
 * @throws AppError `protocol`
 */
export function requireReadable(
  purpose: string,
  connector: JsonObject,
  field: ConnectorField,
): void {
  const found = unreadable(connector, field);
  if (found === undefined) return;
  const id = connectorField.id(connector);
  const value = jsonLine(found.value).slice(0, longestSample);
  const message = `Cannot ${purpose}: the \`${found.field}\` of connector ${id} cannot be read: ${value}`;
  throw new AppError('protocol', message, {
    hint: `See what the service returns with: connectorctl connector get ${shownWord(id ?? '')} --json`,
  });
}

/**
 * Requires that each value sent for a field is readable and, if there are connectors, that one of them has the field.
 * Otherwise an empty result of a filter or a rule would read as "none is offline".
 *
 * @param purpose as in `requireReadable`
 * @throws AppError `protocol`
 */
export function requireFieldFor(
  purpose: string,
  field: ConnectorField,
  connectors: readonly JsonObject[],
): void {
  const read = connectorField[field];
  for (const one of connectors) requireReadable(purpose, one, field);
  if (connectors.length === 0 || connectors.some((one) => read(one) !== undefined)) return;
  const message = `Cannot ${purpose}: no connector of this service has a readable ${field}.`;
  throw new AppError('protocol', message, {
    hint: 'See what the service returns with: connectorctl connector list --json',
  });
}

/**
 * Requires that some connector, if there are any, has a field, unless it is a field that any service may leave out.
 *
 * @param verb what cannot be done otherwise, such as `sort by`
 * @throws AppError `usage`
 */
export function requireField(verb: string, field: string, connectors: readonly JsonObject[]): void {
  if (connectorFields.some((known) => known === field && !fieldLayouts[known].referenceOnly))
    return;
  const read = valueReader(field);
  const last = connectors.at(-1);
  if (last === undefined || connectors.some((one) => read(one) !== undefined)) return;
  const there = connectorFields.filter((one) => connectorField[one](last) !== undefined);
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
 * Refuses a status that the reference service does not have, if that service sent the connector or if the connector's
 * status is evaluated.
 *
 * @throws AppError `usage`
 */
export function checkStatus(status: string, connector: JsonObject = {}): void {
  const word = status.toLowerCase();
  if (connectorStatuses.some((known) => known === word)) return;
  const isReference = referenceId.test(connectorField.id(connector) ?? '');
  if (!isReference && !isEvaluated(connector)) return;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: hintAmong(word, 'statuses', connectorStatuses),
  });
}
