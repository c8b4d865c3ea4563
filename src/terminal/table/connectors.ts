import type {ConnectorReading} from '../../client/types.js';
import {type ConnectorField, titleOf} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {type Palette, styleStatus} from '../palette.js';
import {exactTime, relativeTime} from '../time.js';
import {type Column, tableRows} from './table.js';

/** A field that the user asks for, and its text. */
export interface ShownField {
  readonly path: string;
  readonly text: (connector: ConnectorReading) => string | undefined;
}

/** How a table of connectors is shown. */
export interface TableOptions {
  /** Columns of the terminal; undefined if there is none, and then nothing is cut. */
  readonly width: number | undefined;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** With the organization and exact times. */
  readonly wide: boolean;
  /** The fields to show; undefined for the usual ones. */
  readonly shownFields?: readonly ShownField[] | undefined;
  /** Leaves the header out. */
  readonly hidesHeader?: boolean | undefined;
}

/** The rows of a table of connectors, after its header; nothing without connectors. */
export function connectorsTable(
  connectors: readonly ConnectorReading[],
  options: TableOptions,
): Promise<Iterable<string>> {
  const {shownFields, width, hidesHeader} = options;
  const shown = shownFields?.map((field) => fieldColumn(field, options)) ?? columns(options);
  return tableRows(connectors, shown, width, hidesHeader);
}

/** The column of a field that the user asks for: shown even if no connector has the field. */
function fieldColumn({path, text}: ShownField, options: TableOptions): Column<ConnectorReading> {
  const usual = columns(options).find(({field}) => field === path);
  const known = usual ?? columns({...options, wide: true}).find(({field}) => field === path);
  if (known !== undefined) return {...known, optional: false};
  return {
    title: escapeControl(path.toUpperCase()),
    value: text,
    cuttable: true,
  };
}

/** The columns that only a wide table has. */
const onlyWide: readonly ConnectorField[] = ['organization', 'activated_at'];

/** A column with the name of its field in the interface. */
type FieldColumn = Column<ConnectorReading> & {readonly field: ConnectorField};

/** ID and NAME are always shown, others only if the service sends a value (the interface requires id and name alone). */
function columns({palette, now, wide}: TableOptions): readonly FieldColumn[] {
  const shown = (at: Date) => (wide ? exactTime(at) : relativeTime(at, now()));
  const all: readonly Omit<FieldColumn, 'title'>[] = [
    {field: 'id', value: ({id}) => id},
    {field: 'name', value: ({name}) => name, cuttable: true},
    {
      field: 'organization',
      value: ({organization}) => organization,
      cuttable: true,
      optional: true,
    },
    {
      field: 'status',
      value: ({status}) => status,
      cuttable: true,
      optional: true,
      style: ({status}, text) => styleStatus(palette, status, text),
    },
    {
      field: 'activated_at',
      value: ({activatedAt}) => activatedAt && exactTime(activatedAt),
      optional: true,
    },
    {
      field: 'last_heartbeat_at',
      value: ({lastHeartbeatAt: at}) => (at === null ? 'never' : at && shown(at)),
      optional: true,
    },
  ];
  const shownColumns = wide ? all : all.filter(({field}) => !onlyWide.includes(field));
  return shownColumns.map((column) => ({...column, title: titleOf(column.field)}));
}
