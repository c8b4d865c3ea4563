// Writes docs/openapi.json, and the tables of the reference pages that repeat what the code says, between their markers:
//   <!-- table: NAME --> … <!-- end -->
// `npm run docs` rewrites them; a test fails while they differ.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {sectionOf} from '../src/conformance/model.js';
import {openPoints} from '../src/conformance/open-points.js';
import {problems, routes, serviceRoutes} from '../src/contract/index.js';
import {variablesWithoutFlag} from '../src/flags.js';
import {Metrics} from '../src/server/observability/metrics.js';
import {openApiDocument} from '../src/server/openapi/document.js';
import {describeCommands, readCommands} from './build/manifest.js';
import {root} from './build/root.js';
import {code, commandPages, commandTables, table, topicPages} from './command-pages.js';

/** The pages with tables, as paths from the root of the repository. */
export const referencePages: readonly string[] = [
  ...topicPages,
  ...commandPages,
  'docs/api.md',
  'docs/open-points.md',
];

const {commands} = describeCommands(readCommands());

interface Variable {
  readonly flag: string;
  /** The commands by what the variable means to them. */
  readonly users: Map<string, string[]>;
}

function variablesOfFlags(): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const {id, flags} of commands) {
    for (const {name, env, description = ''} of Object.values(flags)) {
      if (env === undefined) continue;
      const known = variables.get(env) ?? {flag: `--${name}`, users: new Map<string, string[]>()};
      const users = [...(known.users.get(description) ?? []), code(id.replaceAll(':', ' '))];
      known.users.set(description, users);
      variables.set(env, known);
    }
  }
  return variables;
}

/** All variables; the meaning of one that commands understand in several ways names them. */
function environmentTable(): string {
  const ofFlags = [...variablesOfFlags()].map(([name, {flag, users}]) => {
    const texts = [...users].map(([text, names]) => `${names.join(', ')}: ${text}`);
    return [name, code(flag), users.size === 1 ? [...users.keys()].join() : texts.join('; ')];
  });
  const others = Object.entries(variablesWithoutFlag).map(([name, meaning]) => [name, '', meaning]);
  const rows = [...ofFlags, ...others]
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
    .map(([name = '', ...rest]) => [code(name), ...rest]);
  return table(['variable', 'flag', 'meaning'], rows);
}

/** The service's own metrics, by the text that Prometheus reads. */
async function metricRows(): Promise<string[][]> {
  const metrics = new Metrics();
  metrics.measureProcess(0);
  metrics.disk('.');
  metrics.watch({
    measureStore: async () => undefined,
    bounds: () => undefined,
  });
  const text = (await metrics.read()).replace(/^(?!# \w+ connectorctl_).*\n/gm, '');
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
      openPoints.map(({id, open, decision, reason = '', client = ''}) => [
        `§${sectionOf({id})}`,
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
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  for (const page of referencePages) {
    write(page, withCurrentTables(readFileSync(join(root, page), 'utf8')));
  }
  // For generators of clients; the package has it too. Indented, so that a diff shows what changed.
  write('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 1)}\n`);
}
