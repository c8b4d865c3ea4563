import {connectorField, selectFields} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {escapeControl} from '../escape.js';
import type {TableOptions} from '../table/connectors.js';

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

/** The renderer for a format. It loads only the libraries of that format. @throws AppError `usage` for columns of ids */
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
    const {jsonArray, jsonText} = await import('./json.js');
    return {list: jsonArray, one: (connector) => `${jsonText(connector)}\n`};
  },
  async ndjson() {
    return {list: (await import('./json.js')).jsonLines};
  },
  async yaml() {
    const {yamlSequence, yamlText} = await import('./yaml.js');
    return {list: yamlSequence, one: yamlText};
  },
  async csv(options) {
    const {csvLines} = await import('./csv.js');
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
  const {connectorsTable} = await import('../table/connectors.js');
  const {renderConnector} = await import('./details.js');
  return {
    list: (connectors) => connectorsTable(connectors, options),
    one: options.fields ? undefined : (connector) => renderConnector(connector, options),
  };
}
