import type {Interfaces} from '@oclif/core';
import {connectorField} from '../client/read/connector.js';
import type {JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {formatFlag, letters, listFlag} from '../flags.js';
import {escapeControl} from '../terminal/escape.js';
import type {Io} from '../terminal/io.js';
import type {TableOptions} from './fields/table.js';

/** The output formats of lists. */
export const outputFormats = ['table', 'wide', 'json', 'yaml', 'csv', 'id'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The formats with columns; the others show a connector whole, or its id. */
const columnFormats: readonly OutputFormat[] = ['table', 'wide', 'csv'];

/** Renders a list in parts, to be written one after the other; together they are empty or end in a line feed. */
export type Renderer = (
  connectors: readonly JsonObject[],
) => Iterable<string> | Promise<Iterable<string>>;

/** The format of connectors on stdout. */
export const outputFlags = {
  columns: listFlag({
    char: letters.columns,
    description:
      'fields to show in a table or CSV, such as id,name or labels.rack: any that the service sends',
    helpValue: 'FIELD',
  }),
  output: formatFlag(outputFormats, 'CONNECTORCTL_OUTPUT'),
};

/** The terminal and the clock that the output of connectors depends on. */
export interface OutputSettings {
  readonly io: Io;
  /** The time that ages count from, in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Renders connectors for this terminal; `--json` overrides the format. It loads only the libraries of the format.
 *
 * @throws AppError `usage` for columns in a format without them
 */
export async function rendererOf(
  {output = 'table', columns: fields}: Partial<Interfaces.InferredFlags<typeof outputFlags>>,
  {io: {json, stdout}, now}: OutputSettings,
): Promise<Renderer> {
  const format = json ? 'json' : output;
  if (fields !== undefined && !columnFormats.includes(format)) {
    throw new AppError('usage', `--columns does not work with the format ${format}.`, {
      hint: `Use ${columnFormats.join(', ')}, or choose fields with: connectorctl connector list --json | jq`,
    });
  }
  const palette = await stdout.palette();
  return formats[format]({fields, width: stdout.width, palette, now});
}

const formats = {
  table: (options) => tableFormat(options),
  wide: (options) => tableFormat({...options, wide: true}),
  async json() {
    return (await import('../terminal/formats/json.js')).jsonArray;
  },
  async yaml() {
    return (await import('../terminal/formats/yaml.js')).yamlSequence;
  },
  async csv(options) {
    const {csvLines} = await import('./fields/csv.js');
    return (connectors) => csvLines(connectors, options);
  },
  async id() {
    return (connectors) =>
      connectors.map((one) => `${escapeControl(connectorField.id(one) ?? '')}\n`);
  },
} satisfies Record<OutputFormat, (options: TableOptions) => Promise<Renderer>>;

async function tableFormat(options: TableOptions): Promise<Renderer> {
  const {connectorsTable} = await import('./fields/table.js');
  return (connectors) => connectorsTable(connectors, options);
}
