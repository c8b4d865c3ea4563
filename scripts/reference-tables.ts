// Writes the tables of the reference pages that repeat what the code says, between their markers:
//   <!-- table: NAME --> … <!-- end -->
// `npm run docs` rewrites them; a test fails while they differ.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {environmentOf} from '../src/cli/help/catalog.js';
import {openPoints} from '../src/conformance/open-points.js';
import {problems, routes, serviceRoutes} from '../src/contract/index.js';
import {Metrics} from '../src/server/observability/metrics.js';
import {describeCommands, readCommands} from './build/manifest.js';
import {root} from './build/root.js';
import {commandPages, commandTables, createMissingPages, topicPages} from './command-pages.js';
import {code, table} from './markdown.js';

/** The pages with tables, as paths from the root of the repository. */
export const referencePages: readonly string[] = [
  ...topicPages,
  ...commandPages,
  'docs/api.md',
  'docs/open-points.md',
];

const {commands} = describeCommands(readCommands());

function environmentTable(): string {
  const rows = environmentOf(commands, code).map(({name, flag, meaning}) => [
    code(name),
    flag === undefined ? '' : code(flag),
    meaning,
  ]);
  return table(['variable', 'flag', 'meaning'], rows);
}

/** The service's own metrics, by the text that Prometheus reads. */
async function metricRows(): Promise<string[][]> {
  const metrics = new Metrics();
  metrics.build('');
  metrics.heap(0);
  metrics.disk('.');
  metrics.watch({
    measureStore: async () => undefined,
    countConnections: async () => 0,
    maxConnections: () => undefined,
    bounds: () => undefined,
  });
  const text = await metrics.read();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  return [...text.matchAll(/^# HELP (\S+) (.+)$/gm)]
    .map(([, name = '', help = '']) => [code(name), types.get(name) ?? '', help])
    .sort(([a = ''], [b = '']) => a.localeCompare(b));
}
const metrics = await metricRows();

/** Each table by the name of its marker. */
export const tables: Readonly<Record<string, () => string>> = {
  ...commandTables,
  environment: environmentTable,
  'open points': () =>
    table(
      ['interface', 'open', 'reference service', 'reason', 'what the client accepts'],
      openPoints.map(({section, open, decision, reason, client}) => [
        section,
        open,
        decision,
        reason,
        client,
      ]),
    ),
  routes: () =>
    table(
      ['operation', 'method and path', 'success', 'key'],
      Object.entries(routes).map(([name, {method, path, success, access}]) => [
        code(name),
        code(`${method} ${path}`),
        `${success.status}`,
        access,
      ]),
    ),
  'service routes': () =>
    table(
      ['path', 'what it returns'],
      Object.values(serviceRoutes).map(({path, summary}) => [code(path), summary]),
    ),
  problems: () =>
    table(
      ['code', 'status', 'meaning'],
      Object.entries(problems).map(([name, {status, title}]) => [code(name), `${status}`, title]),
    ),
  metrics: () => table(['metric', 'type', 'meaning'], metrics),
};

/** A page with every table as the code has it now. @throws Error on an unknown marker */
export function withCurrentTables(page: string): string {
  return page.replace(
    /(<!-- table: ([\w -]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const write = tables[name];
      if (write === undefined) throw new Error(`There is no table ${JSON.stringify(name)}.`);
      return `${start}\n${write()}\n\n${end}`;
    },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  createMissingPages();
  for (const page of referencePages) {
    const path = join(root, page);
    writeFileSync(path, withCurrentTables(readFileSync(path, 'utf8')));
  }
}
