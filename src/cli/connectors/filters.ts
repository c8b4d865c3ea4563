import type {Client, ConnectorReading} from '../../client/types.js';
import {connectorStatuses} from '../../contract/limits.js';
import {
  connectorFields,
  type Selectable,
  type Selection,
  type SelectOptions,
  selectConnectors,
  valueReader,
} from '../../domain/selection.js';
import {AppError} from '../../errors.js';
import {suggestion} from '../errors/suggestion.js';

/** An id of the reference service. `domain/ids.ts` would load a library for every `connector get`. */
export const referenceId = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;

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

/**
 * The connectors of a service that a selection names. Ages count by the service's clock, or by this
 * machine's where the service sends no `Date`.
 *
 * @throws AppError as `withCheckedFilters` and the client do
 */
export function selectedConnectors(
  client: Client,
  selection: Selection,
  {
    signal,
    onCut,
    columns,
  }: Pick<SelectOptions, 'onCut'> & {
    readonly signal?: AbortSignal;
    readonly columns?: readonly string[] | undefined;
  } = {},
): AsyncIterable<ConnectorReading> {
  let time: number | undefined;
  const all = client.listConnectors({
    signal,
    onResponse: ({serverTime}) => {
      time = serverTime?.getTime();
    },
  });
  return selectConnectors(withCheckedFilters(all, selection, columns), selection, {
    now: () => time ?? Date.now(),
    ...(onCut && {onCut}),
  });
}

/**
 * Passes connectors on to the filters, and fails when a filter, an order or a column cannot be applied to any of
 * them: an empty list would read as "none is offline".
 *
 * @param columns fields to show
 * @throws AppError `protocol` at the end when no connector has the field of a filter, `usage` at the end
 *   when none has the field to sort by or to show, and `usage` at the first connector when the reference service does
 *   not know the status
 */
export function withCheckedFilters<T extends Selectable>(
  connectors: AsyncIterable<T>,
  selection: Selection,
  columns: readonly string[] = [],
): AsyncIterable<T> {
  const uses = [
    ...unknownUses('sort by', selection.sort === undefined ? [] : [selection.sort.field]),
    ...unknownUses('show', columns),
  ];
  const isChecked = isFiltered(selection) || uses.length > 0;
  return isChecked ? checked(connectors, selection, uses) : connectors;
}

async function* checked<T extends Selectable>(
  connectors: AsyncIterable<T>,
  selection: Selection,
  uses: readonly FieldUse[],
): AsyncGenerator<T, void, undefined> {
  const unchecked = new Set(filtersOf(selection));
  const unseen = new Set(uses);
  let last: T | undefined;
  for await (const connector of connectors) {
    if (last === undefined) {
      for (const status of selection.status ?? []) checkStatus(status, connector);
    }
    last = connector;
    for (const filter of unchecked) {
      if (connector[filter.field] !== undefined) unchecked.delete(filter);
    }
    for (const use of unseen) if (use.read(connector) !== undefined) unseen.delete(use);
    yield connector;
  }
  if (last === undefined) return;
  const [filter] = unchecked;
  if (filter !== undefined) throw withoutField(filter);
  const [use] = unseen;
  if (use !== undefined) throw withoutUsedField(use, last);
}

/** Checks the columns of one connector. @throws AppError `usage` when it has no such field */
export function requireColumns(columns: readonly string[] = [], connector: Selectable): void {
  const use = unknownUses('show', columns).find(({read}) => read(connector) === undefined);
  if (use !== undefined) throw withoutUsedField(use, connector);
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
