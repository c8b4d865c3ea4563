// Writes docs/openapi.json, and the tables of the reference pages that repeat what the code says, between their markers:
//   <!-- table: NAME --> … <!-- end -->
// `npm run docs` rewrites them; a test fails while they differ.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {
  connectorNames,
  credentialNames,
  listNames,
  memberNames,
} from '../src/client/names/connectors.js';
import {errorNames} from '../src/client/names/errors.js';
import {parameterOf} from '../src/client/read/pages.js';
import {openPoints} from '../src/conformance/checks/open-points.js';
import {sectionOf} from '../src/conformance/model.js';
import {problems, routes, serviceRoutes} from '../src/contract/index.js';
import {variablesWithoutFlag} from '../src/flags.js';
import {outputSchemas} from '../src/report/output.js';
import {Metrics} from '../src/server/observability/metrics.js';
import {openApiDocument} from '../src/server/openapi/document.js';
import {jsonSchema} from '../src/server/openapi/json-schema.js';
import {packages} from '../test/architecture/packages.js';
import {type Program, programs, triedByHand} from '../test/outside/programs.js';
import {describeCommands, readCommands} from './build/manifest.js';
import {root} from './build/root.js';
import {code, commandPages, commandTables, table, topicPages} from './command-pages.js';

/** The pages with tables, as paths from the root of the repository. */
export const referencePages: readonly string[] = [
  ...topicPages,
  ...commandPages,
  'ARCHITECTURE.md',
  'docs/api.md',
  'docs/open-points.md',
  'docs/guides/build-a-service.md',
  'docs/internals/outside.md',
];

const {commands} = describeCommands(readCommands());

/** Each flag of a command that a variable sets. */
const uses = commands.flatMap(({id, flags}) =>
  Object.values(flags).flatMap(({name, env, description = ''}) =>
    env === undefined ? [] : [{env, flag: `--${name}`, description, id}],
  ),
);

/** What a variable means; if commands understand it in several ways, with their names. */
function meaningOf(variable: string): string {
  const own = uses.filter(({env}) => env === variable);
  const meanings = [...new Set(own.map(({description}) => description))];
  if (meanings.length === 1) return meanings.join();
  const users = (meaning: string) =>
    own.filter(({description}) => description === meaning).map(({id}) => id.replaceAll(':', ' '));
  return meanings.map((meaning) => `${users(meaning).map(code).join(', ')}: ${meaning}`).join('; ');
}

function environmentTable(): string {
  const ofFlags = new Map(uses.map(({env, flag}) => [env, [code(flag), meaningOf(env)]]));
  const others = Object.entries(variablesWithoutFlag).map(
    ([name, meaning]) => [name, ['', meaning]] as const,
  );
  const rows = [...ofFlags, ...others].sort(([one], [other]) => (one < other ? -1 : 1));
  return table(
    ['variable', 'flag', 'meaning'],
    rows.map(([name, rest]) => [code(name), ...rest]),
  );
}

/** The service's own metrics, by the text that Prometheus reads. */
async function metricRows(): Promise<string[][]> {
  const metrics = new Metrics();
  metrics.measureProcess();
  metrics.disk('.');
  metrics.watch(
    async () => undefined,
    () => 0,
  );
  const found = (await metrics.read()).matchAll(
    /^# HELP (connectorctl_\S+) (.+)\n# TYPE \S+ (\S+)$/gm,
  );
  return [...found]
    .map(([, name = '', help = '', type = '']) => [code(name), type, help])
    .sort(([a = ''], [b = '']) => a.localeCompare(b));
}
const metrics = await metricRows();

/** The names of a field that the client reads, the first of them first; those in camelCase go without saying. */
const namesOf = (names: readonly string[]) =>
  names
    .filter((name) => !/[A-Z]/.test(name))
    .map(code)
    .join(', ');

/** The most common fields that lead to the next page, each with its query parameter. */
const leads = 'next_cursor nextPageToken next_page_token next_offset next_page cursor end_cursor'
  .split(' ')
  .map((key) => `${code(key)} → ${code(`?${parameterOf({key, siblings: ''})}=`)}`);

/** Each table by the name of its marker. */
export const tables: Readonly<Record<string, () => string>> = {
  ...commandTables,
  dependencies: () =>
    table(
      ['package', 'used by', 'why it stays'],
      Object.entries(packages).map(([name, {users, purpose}]) => [
        code(name),
        users.map(code).join(', '),
        purpose,
      ]),
    ),
  environment: environmentTable,
  names: () =>
    table(
      ['what', 'names'],
      [
        ['id', namesOf(connectorNames.id)],
        ['credential of an activation', `${namesOf(credentialNames.own)}, \`credential.value\``],
        ['status', namesOf(connectorNames.status)],
        ['last heartbeat', namesOf(connectorNames.last_heartbeat_at)],
        ['in the response to a heartbeat, seconds to the next one', namesOf(memberNames.seconds)],
        ['the list in an object', namesOf(listNames)],
        ['what leads to the next page → its query parameter', leads.join(', ')],
        ['this page, beside a total or `has_more`', '`page`, `offset` (the first is 0)'],
        ['the reason of an error', namesOf(errorNames.message)],
      ],
    ),
  'open points': () =>
    table(
      ['interface', 'open', 'reference service', 'what the client accepts'],
      Object.entries(openPoints).map(([id, {open, decision, client = ''}]) => [
        `§${sectionOf(id)}`,
        open,
        decision,
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
  'outside programs': () =>
    table(
      ['program', 'version last tried', 'what was tried', 'result'],
      [...Object.values<Program>(programs), ...triedByHand].map(
        ({title, expected, purpose, result}) => [title, expected, purpose, result],
      ),
    ),
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

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The schemas of what commands print, as files. Readers have to ignore fields that they do not know. */
export const schemaFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(outputSchemas).map(([name, schema]) => [
      `docs/schemas/${name}.schema.json`,
      `${JSON.stringify({$schema: dialect, ...jsonSchema(schema, 'input')}, null, 1)}\n`,
    ]),
  );

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  for (const page of referencePages) {
    write(page, withCurrentTables(readFileSync(join(root, page), 'utf8')));
  }
  // For generators of clients; the package has it too. Indented, so that a diff shows what changed.
  for (const [name, text] of Object.entries(schemaFiles())) write(name, text);
  write('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 1)}\n`);
}
