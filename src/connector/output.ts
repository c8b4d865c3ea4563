import {Flags} from '@oclif/core';
import {connectorField, valueReader} from '../client/read/connector.js';
import type {Json, JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {formatFlag, letters, listFlag} from '../flags.js';
import {escapeControl} from '../terminal/escape.js';
import type {Io} from '../terminal/io.js';
import {fieldOfTitle, type TableOptions} from './fields/table.js';

/** The output formats of lists and of one connector. */
export const outputFormats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The formats that show fields of a connector whole, as the service sends them. */
const wholeFieldFormats: readonly OutputFormat[] = ['json', 'ndjson', 'yaml'];

/** Renders connectors in one format. Every text is empty or ends in a line feed. */
export interface Renderer {
  /** A list, in parts to be written one after the other. */
  list(connectors: readonly JsonObject[]): Iterable<string> | Promise<Iterable<string>>;
  /** A single connector, in the formats that show it in another way than a list of one. */
  readonly one?: ((connector: JsonObject) => string) | undefined;
}

/** The format of connectors on stdout. */
export const outputFlags = {
  columns: listFlag({
    char: letters.columns,
    description: 'fields to show, such as id,name or labels.rack: any that the service sends',
    helpValue: 'FIELD',
    read: fieldOfTitle,
  }),
  'no-headers': Flags.boolean({description: 'leave out the header of a table or CSV'}),
  output: formatFlag(outputFormats, 'CONNECTORCTL_OUTPUT'),
};

interface OutputFlagValues {
  readonly columns?: readonly string[] | undefined;
  readonly 'no-headers'?: boolean;
  readonly output?: OutputFormat | undefined;
}

/** What the output of connectors depends on besides its flags. */
export interface OutputSettings {
  readonly io: Io;
  /** The time that ages count from, in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Renders connectors for this terminal; `--json` overrides the format. It loads only the libraries of the format.
 *
 * @throws AppError `usage` for columns of ids
 */
export async function rendererOf(
  {output = 'table', columns: fields, 'no-headers': hidesHeader}: OutputFlagValues,
  {io: {json, stdout}, now}: OutputSettings,
): Promise<Renderer> {
  const palette = await stdout.palette();
  const options = {fields, hidesHeader, width: stdout.width, palette, now};
  return rendererFor(json ? 'json' : output, options);
}

/** The renderer for a format, with its options. */
export async function rendererFor(format: OutputFormat, options: TableOptions): Promise<Renderer> {
  const {fields} = options;
  if (fields !== undefined && format === 'id') {
    throw new AppError('usage', '--columns does not work with the format id.', {
      hint: 'Use another format, such as csv.',
    });
  }
  const renderer: Renderer = await formats[format](options);
  if (fields === undefined || !wholeFieldFormats.includes(format)) return renderer;
  const {list, one} = renderer;
  const picked = (connector: JsonObject) => selectFields(connector, fields);
  return {
    list: (connectors) => list(connectors.map(picked)),
    one: one && ((connector) => one(picked(connector))),
  };
}

const formats = {
  table: (options) => tableFormat(options),
  wide: (options) => tableFormat({...options, wide: true}),
  async json() {
    const {jsonArray, jsonText} = await import('../terminal/formats/json.js');
    return {list: jsonArray, one: (connector) => `${jsonText(connector)}\n`};
  },
  async ndjson() {
    return {list: (await import('../terminal/formats/json.js')).jsonLines};
  },
  async yaml() {
    const {yamlSequence, yamlText} = await import('../terminal/formats/yaml.js');
    return {list: yamlSequence, one: yamlText};
  },
  async csv(options) {
    const {csvLines} = await import('./fields/csv.js');
    return {list: (connectors) => csvLines(connectors, options)};
  },
  async id() {
    return {
      *list(connectors) {
        for (const one of connectors) yield `${escapeControl(connectorField.id.read(one) ?? '')}\n`;
      },
    };
  },
} satisfies Record<OutputFormat, (options: TableOptions) => Promise<Renderer>>;

async function tableFormat(options: TableOptions): Promise<Renderer> {
  const {connectorsTable} = await import('./fields/table.js');
  const {renderConnector} = await import('./fields/details.js');
  return {
    list: (connectors) => connectorsTable(connectors, options),
    one: options.fields ? undefined : (connector) => renderConnector(connector, options),
  };
}

/** Selects fields of a connector under the given names; omits those that it does not have. */
function selectFields(connector: JsonObject, fields: readonly string[]): JsonObject {
  const members = fields.flatMap((field): [string, Json][] => {
    const value = Object.hasOwn(connector, field)
      ? connector[field]
      : valueReader(field)(connector);
    if (value === undefined) return [];
    return [[field, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(members);
}
