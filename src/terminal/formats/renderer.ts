import {connectorField, selectFields} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {escapeControl} from '../escape.js';
import type {TableOptions} from '../table/connectors.js';

/** The output formats of lists and of one connector. */
export const outputFormats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'] as const;

/** One of `outputFormats`. */
export type OutputFormat = (typeof outputFormats)[number];

/** The formats that show whole fields of a connector, as the service sends them: a column cannot select within one. */
export const wholeFieldFormats: readonly OutputFormat[] = ['json', 'ndjson', 'yaml'];

/** Properties of the output. Apart from the fields they affect only tables and CSV. */
export type RenderOptions = Omit<TableOptions, 'wide'>;

/** Renders connectors in one format. Every text is empty or ends in a line feed. */
export interface Renderer {
  /** A list, in parts to be written one after the other. */
  list(connectors: readonly JsonObject[]): AsyncIterable<string>;
  one(connector: JsonObject): Promise<string>;
}

/** A format: the texts of a list, one by one, and that of a single connector. */
interface Format {
  readonly list: (
    connectors: readonly JsonObject[],
  ) => Iterable<string> | Promise<Iterable<string>>;
  readonly one: (connector: JsonObject) => string | Promise<string>;
}

/** The renderer for a format. It loads only the libraries of that format. */
export async function rendererFor(format: OutputFormat, options: RenderOptions): Promise<Renderer> {
  const {list, one} = await formats[format](options);
  const fields = wholeFieldFormats.includes(format) ? options.fields : undefined;
  const selected = (connector: JsonObject): JsonObject =>
    fields === undefined ? connector : selectFields(connector, fields);
  return {
    async *list(connectors) {
      yield* inParts(await list(fields === undefined ? connectors : connectors.map(selected)));
    },
    one: async (connector) => one(selected(connector)),
  };
}

const formats = {
  table: (options) => tableFormat(false, options),
  wide: (options) => tableFormat(true, options),
  async json() {
    const {jsonArray, jsonText} = await import('./json.js');
    return {list: jsonArray, one: (connector) => `${jsonText(connector)}\n`};
  },
  async ndjson() {
    const {jsonLine, jsonLines} = await import('./json.js');
    return {list: jsonLines, one: (connector) => `${jsonLine(connector)}\n`};
  },
  async yaml() {
    const {yamlSequence, yamlText} = await import('./yaml.js');
    return {list: yamlSequence, one: yamlText};
  },
  async csv(options) {
    const {csvLines} = await import('./csv.js');
    const list: Format['list'] = (connectors) => csvLines(connectors, options);
    return {list, one: (connector) => [...csvLines([connector], options)].join('')};
  },
  async id() {
    const idLine = (connector: JsonObject) =>
      `${escapeControl(connectorField.id(connector) ?? '')}\n`;
    return {list: (connectors) => connectors.map(idLine), one: idLine};
  },
} satisfies Record<OutputFormat, (options: RenderOptions) => Promise<Format>>;

async function tableFormat(wide: boolean, options: RenderOptions): Promise<Format> {
  const [{connectorsTable}, {renderConnector}] = await Promise.all([
    import('../table/connectors.js'),
    import('./details.js'),
  ]);
  const shown = {...options, wide};
  const list = (connectors: readonly JsonObject[]) => connectorsTable(connectors, shown);
  return {
    list,
    one: async (connector) =>
      options.fields ? [...(await list([connector]))].join('') : renderConnector(connector, shown),
  };
}

/** Size of joined texts: many single writes are slow, and one write of everything takes much memory. */
const partSize = 64 * 1024;

function* inParts(texts: Iterable<string>): Generator<string> {
  let part = '';
  for (const text of texts) {
    part += text;
    if (part.length < partSize) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}
