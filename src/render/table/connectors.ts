import type {ConnectorReading} from '../../client/types.js';
import {type Palette, styleStatus} from '../palette.js';
import {exactTime, relativeTime} from '../time.js';
import {type Column, tableChunks} from './stream.js';

/** How a table of connectors is shown. */
export interface TableOptions {
  /** Columns of the terminal; undefined if there is none, and then nothing is cut. */
  readonly width: number | undefined;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** With the organization and exact times. */
  readonly wide: boolean;
}

/** A table of connectors, in chunks of whole lines; nothing without connectors. */
export function connectorsTable(
  connectors: AsyncIterable<ConnectorReading> | Iterable<ConnectorReading>,
  options: TableOptions,
): AsyncGenerator<string, void, undefined> {
  return tableChunks(connectors, columns(options), options.width);
}

/** ID and NAME are always shown, others only if the service sends a value (the interface requires id and name alone). */
function columns({palette, now, wide}: TableOptions): readonly Column<ConnectorReading>[] {
  const id: Column<ConnectorReading> = {
    title: 'ID',
    value: (connector) => connector.id,
    cuttable: false,
    optional: false,
  };
  const name: Column<ConnectorReading> = {
    title: 'NAME',
    value: (connector) => connector.name,
    cuttable: true,
    optional: false,
  };
  const organization: Column<ConnectorReading> = {
    title: 'ORGANIZATION',
    value: (connector) => connector.organization,
    cuttable: true,
    optional: true,
  };
  const status: Column<ConnectorReading> = {
    title: 'STATUS',
    value: (connector) => connector.status,
    cuttable: true,
    optional: true,
    style: (connector, shown) => styleStatus(palette, connector.status, shown),
  };
  const activated: Column<ConnectorReading> = {
    title: 'ACTIVATED',
    value: ({activatedAt}) => activatedAt && exactTime(activatedAt),
    cuttable: false,
    optional: true,
  };
  const lastHeartbeat: Column<ConnectorReading> = {
    title: 'LAST HEARTBEAT',
    value: ({lastHeartbeatAt: at}) =>
      at === null ? 'never' : at && (wide ? exactTime(at) : relativeTime(at, now)),
    cuttable: false,
    optional: true,
  };
  return wide
    ? [id, name, organization, status, activated, lastHeartbeat]
    : [id, name, status, lastHeartbeat];
}
