import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import {escapeControl} from '../escape.js';
import type {Palette} from '../palette.js';

/** The output formats of lists and of one connector. */
export const outputFormats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'] as const;

/** One of `outputFormats`. */
export type OutputFormat = (typeof outputFormats)[number];

/** Properties of the output. They affect only tables: the other formats are the same everywhere. */
export interface RenderOptions {
  /** Columns of the terminal; undefined if there is none, and then nothing is cut. */
  readonly width: number | undefined;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
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
      return csvRenderer();
    case 'id':
      return {list: idLines, one: async ({id}) => idLine(id)};
  }
}

async function tableRenderer(wide: boolean, options: RenderOptions): Promise<Renderer> {
  const [{connectorsTable}, {renderConnector}] = await Promise.all([
    import('../table/connectors.js'),
    import('../details.js'),
  ]);
  return {
    list: (connectors) => connectorsTable(connectors, {...options, wide}),
    one: (connector) => renderConnector(connector, options),
  };
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

async function csvRenderer(): Promise<Renderer> {
  const {csvLines} = await import('./csv.js');
  return {
    list: csvLines,
    async one(connector) {
      let text = '';
      for await (const chunk of csvLines([connector])) text += chunk;
      return text;
    },
  };
}

async function* idLines(connectors: AsyncIterable<ConnectorReading>): AsyncGenerator<string> {
  for await (const batch of batchesOf(connectors)) yield batch.map(({id}) => idLine(id)).join('');
}

function idLine(id: string): string {
  return `${escapeControl(id)}\n`;
}
