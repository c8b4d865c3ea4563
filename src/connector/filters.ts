import type {Client, ConnectorReading} from '../client/types.js';
import {connectorStatuses} from '../contract/limits.js';
import {
  connectorFields,
  referenceId,
  type Selectable,
  type Selection,
  selectConnectors,
  valueReader,
} from '../domain/selection.js';
import {suggestion} from '../domain/suggestion.js';
import {AppError} from '../errors.js';

/** A filter: its flag, the field that it needs, and the name of the field in messages. */
interface Filter {
  readonly flag: string;
  readonly field: keyof Selectable;
  readonly label: string;
}

/** The parts of a selection; undefined for those that leave no connector out. */
const filters = {
  status: {flag: '--status', field: 'status', label: 'status'},
  name: {flag: '--name', field: 'name', label: 'name'},
  olderThan: {flag: '--older-than', field: 'lastHeartbeatAt', label: 'last heartbeat'},
  sort: undefined,
  limit: undefined,
} satisfies Record<keyof Selection, Filter | undefined>;

/** Whether a selection has a filter, so that an empty list does not mean that there is no connector. */
export function isFiltered(selection: Selection): boolean {
  return filtersOf(selection).length > 0;
}

function filtersOf(selection: Selection): readonly Filter[] {
  return Object.entries(filters).flatMap(([part, filter]) =>
    filter === undefined || selection[part as keyof Selection] === undefined ? [] : filter,
  );
}

/** How to read a list: what cancels it, and the fields to show. */
interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly columns?: readonly string[] | undefined;
}

/**
 * The connectors of a service that a selection names. Ages count by the service's clock, or by this
 * machine's where the service sends no `Date`.
 *
 * @returns also whether its limit left out any
 * @throws AppError as `checkFields` and the client do
 */
export async function selectedConnectors(
  client: Client,
  selection: Selection,
  {signal, columns}: ReadOptions = {},
): Promise<ReturnType<typeof selectConnectors<ConnectorReading>>> {
  const {limit, ...rest} = selection;
  const needsAll = limit === undefined || Object.values(rest).some((part) => part !== undefined);
  let now = Date.now();
  const list = client.listConnectors({
    signal,
    onResponse: ({serverTime}) => {
      now = serverTime?.getTime() ?? Date.now();
    },
  });
  // One more shows that there are more.
  const connectors = await list.toArray(needsAll ? undefined : limit + 1);
  checkFields(connectors, selection, columns);
  return selectConnectors(connectors, selection, now);
}

/**
 * Fails when a filter, an order or a column cannot be applied to any of the connectors: an empty list would read as
 * "none is offline".
 *
 * @param columns fields to show
 * @throws AppError `protocol` when no connector has the field of a filter, `usage` when none has the field to sort by
 *   or to show, and when the reference service does not know the status
 */
export function checkFields(
  connectors: readonly Selectable[],
  selection: Selection,
  columns: readonly string[] = [],
): void {
  const [first] = connectors;
  if (first === undefined) return;
  for (const status of selection.status ?? []) checkStatus(status, first);
  const filter = filtersOf(selection).find(({field}) =>
    connectors.every((connector) => connector[field] === undefined),
  );
  if (filter !== undefined) throw withoutField(filter);
  const {sort} = selection;
  const use = [
    ...unknownUses('sort by', sort === undefined ? [] : [sort.field]),
    ...unknownUses('show', columns),
  ].find(({read}) => connectors.every((connector) => read(connector) === undefined));
  if (use !== undefined) throw withoutUsedField(use, connectors.at(-1) ?? first);
}

/** What the user does with a field that only the service knows. */
interface FieldUse {
  readonly verb: 'show' | 'sort by';
  readonly field: string;
  readonly read: ReturnType<typeof valueReader>;
}

/** The uses of fields that connectorctl does not know under all names that services use. */
function unknownUses(verb: FieldUse['verb'], fields: readonly string[]): readonly FieldUse[] {
  const known: readonly string[] = connectorFields;
  return fields
    .filter((field) => !known.includes(field))
    .map((field) => ({verb, field, read: valueReader(field)}));
}

function withoutField({flag, label}: Filter): AppError {
  return new AppError(
    'protocol',
    `Cannot filter by ${flag}: no connector of this service has a readable ${label}.`,
    {hint: 'See what the service returns with: connectorctl connector list --json'},
  );
}

function withoutUsedField({verb, field}: FieldUse, {raw = {}}: Selectable): AppError {
  const near = suggestion(field, [...connectorFields, ...Object.keys(raw)]);
  const hint =
    near === undefined
      ? 'See what the service returns with: connectorctl connector list --json'
      : `Did you mean ${near}?`;
  return new AppError('usage', `Cannot ${verb} ${field}: no connector has this field.`, {hint});
}

/**
 * Refuses a status that the reference service does not have.
 *
 * @param connector its id shows whether this is the reference service
 * @throws AppError `usage`
 */
export function checkStatus(status: string, {id}: Pick<Selectable, 'id'>): void {
  const statuses: readonly string[] = connectorStatuses;
  if (statuses.includes(status.toLowerCase())) return;
  if (!referenceId.test(id)) return;
  const near = suggestion(status.toLowerCase(), statuses);
  const all = `The statuses are: ${statuses.join(', ')}.`;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: near === undefined ? all : `Did you mean ${near}? ${all}`,
  });
}
