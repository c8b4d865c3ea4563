import type {ConnectorReading} from '../../client/types.js';
import {selectFields} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import type {TableOptions} from '../table/connectors.js';

/** The output formats of lists and of one connector. */
export const outputFormats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'] as const;

/** One of `outputFormats`. */
export type OutputFormat = (typeof outputFormats)[number];

/** The formats whose columns are fields of a connector as the service sends it, and no fields within one. */
export const wholeFieldFormats: readonly OutputFormat[] = ['json', 'ndjson', 'yaml'];

/** Properties of the output. Apart from the fields they affect only tables and CSV. */
export type RenderOptions = Omit<TableOptions, 'wide'>;

/** Renders connectors in one format. Every text is empty or ends in a line feed. */
export interface Renderer {
  /** A list, in parts to be written one after the other. */
  list(connectors: readonly ConnectorReading[]): AsyncIterable<string>;
  one(connector: ConnectorReading): Promise<string>;
}

/** A format: the texts of a list, one by one, and that of a single connector. */
interface Format {
  readonly list: (
    connectors: readonly ConnectorReading[],
  ) => Iterable<string> | Promise<Iterable<string>>;
  readonly one: (connector: ConnectorReading) => string | Promise<string>;
}

/** The renderer for a format. It loads only the libraries of that format. */
export async function rendererFor(format: OutputFormat, options: RenderOptions): Promise<Renderer> {
  const {list, one} = await formats[format](options);
  const fields = wholeFieldFormats.includes(format) ? options.fields : undefined;
  const selected = (connector: ConnectorReading): ConnectorReading =>
    fields === undefined ? connector : {...connector, raw: selectFields(connector, fields)};
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
    return {list: jsonArray, one: ({raw}) => `${jsonText(raw)}\n`};
  },
  async ndjson() {
    const {jsonLine, jsonLines} = await import('./json.js');
    return {list: jsonLines, one: ({raw}) => `${jsonLine(raw)}\n`};
  },
  async yaml() {
    const {yamlSequence, yamlText} = await import('./yaml.js');
    return {list: yamlSequence, one: ({raw}) => yamlText(raw)};
  },
  async csv(options) {
    const {csvLines} = await import('./csv.js');
    const list: Format['list'] = (connectors) => csvLines(connectors, options);
    return {list, one: (connector) => [...csvLines([connector], options)].join('')};
  },
  async id() {
    const idLine = ({id}: ConnectorReading) => `${escapeControl(id)}\n`;
    return {list: (connectors) => connectors.map(idLine), one: idLine};
  },
} satisfies Record<OutputFormat, (options: RenderOptions) => Promise<Format>>;

async function tableFormat(wide: boolean, options: RenderOptions): Promise<Format> {
  const [{connectorsTable}, {renderConnector}] = await Promise.all([
    import('../table/connectors.js'),
    import('./details.js'),
  ]);
  const shown = {...options, wide};
  const list = (connectors: readonly ConnectorReading[]) => connectorsTable(connectors, shown);
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
