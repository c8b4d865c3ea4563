import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import {escapeControl} from '../escape.js';
import type {Palette} from '../palette.js';
import type {ShownField} from '../table/connectors.js';

/** The output formats of lists and of one connector. */
export const outputFormats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'] as const;

/** One of `outputFormats`. */
export type OutputFormat = (typeof outputFormats)[number];

/** The formats with columns. */
export const columnFormats: readonly OutputFormat[] = ['table', 'wide', 'csv'];

/** Properties of the output. They affect only tables and CSV: the other formats are the same everywhere. */
export interface RenderOptions {
  /** Columns of the terminal; undefined if there is none, and then nothing is cut. */
  readonly width: number | undefined;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch; asked once the first connector is there. */
  readonly now: () => number;
  /** Base URL of the service, which `wide` shows of one connector. */
  readonly service?: string | undefined;
  /** The columns of tables and CSV, as `valueReader` takes them; undefined for the usual ones. */
  readonly fields?: readonly string[] | undefined;
  /** Leaves out the header of tables and CSV. */
  readonly hidesHeader?: boolean | undefined;
}

/** Renders connectors in one format. Every text is empty or ends in a line feed. */
export interface Renderer {
  /** A list of any length, in chunks of bounded size. */
  list(connectors: AsyncIterable<ConnectorReading>): AsyncIterable<string>;
  one(connector: ConnectorReading): Promise<string>;
}

/** The renderer for a format. It loads only the libraries of that format. */
export async function rendererFor(format: OutputFormat, options: RenderOptions): Promise<Renderer> {
  switch (format) {
    case 'table':
    case 'wide':
      return tableRenderer(format === 'wide', options);
    case 'json':
    case 'ndjson':
      return jsonRenderer(format);
    case 'yaml':
      return yamlRenderer();
    case 'csv':
      return csvRenderer(options);
    case 'id':
      return {list: idLines, one: async ({id}) => idLine(id)};
  }
}

async function tableRenderer(wide: boolean, options: RenderOptions): Promise<Renderer> {
  const [{connectorsTable}, {renderConnector}] = await Promise.all([
    import('../table/connectors.js'),
    import('../details.js'),
  ]);
  const shownFields = options.fields && (await withText(options.fields));
  const list: Renderer['list'] = (connectors) =>
    connectorsTable(connectors, {...options, shownFields, wide});
  return {
    list,
    one: (connector) =>
      options.fields ? asList(list, connector) : renderConnector(connector, {...options, wide}),
  };
}

/** Fields that the user asks for, with their texts. */
export async function withText(paths: readonly string[]): Promise<readonly ShownField[]> {
  const {fieldReader} = await import('./field-text.js');
  return paths.map((path) => ({path, text: fieldReader(path)}));
}

async function jsonRenderer(format: 'json' | 'ndjson'): Promise<Renderer> {
  const {jsonArray, jsonLine, jsonLines, jsonText} = await import('./json.js');
  if (format === 'ndjson') return {list: jsonLines, one: async ({raw}) => `${jsonLine(raw)}\n`};
  return {list: jsonArray, one: async ({raw}) => `${jsonText(raw)}\n`};
}

async function yamlRenderer(): Promise<Renderer> {
  const {yamlSequence, yamlText} = await import('./yaml.js');
  return {list: yamlSequence, one: async ({raw}) => yamlText(raw)};
}

async function csvRenderer(options: RenderOptions): Promise<Renderer> {
  const {csvLines} = await import('./csv.js');
  const list: Renderer['list'] = (connectors) => csvLines(connectors, options);
  return {list, one: (connector) => asList(list, connector)};
}

async function asList(list: Renderer['list'], connector: ConnectorReading): Promise<string> {
  async function* one() {
    yield connector;
  }
  let text = '';
  for await (const chunk of list(one())) text += chunk;
  return text;
}

async function* idLines(connectors: AsyncIterable<ConnectorReading>): AsyncGenerator<string> {
  for await (const batch of batchesOf(connectors)) yield batch.map(({id}) => idLine(id)).join('');
}

function idLine(id: string): string {
  return `${escapeControl(id)}\n`;
}
