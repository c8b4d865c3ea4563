import {type ConnectorField, connectorFields, valueReader} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {escapeControl, type Palette, styleStatus} from '../../terminal/escape.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {type Column, tableRows} from '../../terminal/table/table.js';
import {exactTime, relativePast} from '../../terminal/time.js';

/** How a field of a connector is shown. */
interface FieldLayout {
  /** Whether only wide tables show the field. */
  readonly wide?: boolean;
  /** Whether a narrow table may cut the values: not ids, which users copy, nor times, which are short. */
  readonly cut?: boolean;
  /** The text for null, which means "none yet"; without such a text, a null field is not shown. */
  readonly absent?: string;
  /** Whether only the reference service has the field, so CSV shows it only on request. */
  readonly referenceOnly?: boolean;
}

export const fieldLayouts: Readonly<Record<ConnectorField, FieldLayout>> = {
  id: {},
  name: {cut: true},
  status: {cut: true},
  organization: {cut: true, wide: true},
  activated_at: {wide: true},
  last_heartbeat_at: {absent: 'never'},
  identity_shared_at: {referenceOnly: true},
  starts_last_hour: {referenceOnly: true, wide: true},
};

/** Options of a table of connectors. */
export interface TableOptions {
  /** Columns of the terminal; undefined without a terminal, where nothing is cut. */
  readonly width: number | undefined;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether to show all fields of `connectorFields`, and exact times. */
  readonly wide?: boolean | undefined;
  /** The fields to show, as `valueReader` takes them; undefined for the usual ones. */
  readonly fields?: readonly string[] | undefined;
}

/** The rows of a table of connectors, after its header; nothing without connectors. */
export function connectorsTable(
  connectors: readonly JsonObject[],
  options: TableOptions,
): Promise<Iterable<string>> {
  const {wide, width} = options;
  const usual = connectorFields.filter((field) => wide || !fieldLayouts[field].wide);
  const columns = (options.fields ?? usual).map((path) => columnOf(path, options));
  return tableRows(connectors, columns, width);
}

function columnOf(path: string, {palette, now, wide, fields}: TableOptions): Column<JsonObject> {
  // Without --columns, only id and name are always shown: the interface requires no other fields.
  const optional = !fields && path !== 'id' && path !== 'name';
  const field = connectorFields.find((known) => known === path);
  const time = now();
  const shown = (at: Date) => (wide ? exactTime(at) : relativePast(at, time));
  return {
    title: field === undefined ? escapeControl(path.toUpperCase()) : titleOf(field),
    cuttable: field === undefined || fieldLayouts[field].cut === true,
    optional,
    value: fieldReader(path, shown, field && fieldLayouts[field].absent),
    ...(field === 'status' && {style: (text) => styleStatus(palette, text, text)}),
  };
}

/** The heading of a field in tables: `LAST HEARTBEAT`. */
export function titleOf(field: ConnectorField): string {
  return field.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase();
}

/** The text shown in place of a secret. */
export const hiddenSecret = '(hidden)';

/**
 * The reader of any field as a text, not yet escaped: objects and arrays as JSON. Fields whose names say that they hold
 * a secret are hidden.
 *
 * @param path as `valueReader` takes it
 * @param shown renders a time
 * @param absent the text for null, which means "none yet"
 */
export function fieldReader(
  path: string,
  shown: (at: Date) => string = exactTime,
  absent?: string,
): (connector: JsonObject) => string | undefined {
  const read = valueReader(path);
  const isSecret = path.split('.').some(isSecretName);
  return (connector) => {
    const value = read(connector);
    if (value === undefined || value === null) return value === null ? absent : undefined;
    if (isSecret) return hiddenSecret;
    if (value instanceof Date) return shown(value);
    return typeof value === 'object' ? jsonLine(value) : String(value);
  };
}
