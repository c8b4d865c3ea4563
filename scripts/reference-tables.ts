// Writes the tables of the reference pages that repeat what the code says, between their markers:
//   <!-- table: NAME --> … <!-- end -->
// `npm run docs` rewrites them; a test fails while they differ.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {variablesWithoutFlag} from '../src/cli/catalog.js';
import {openPoints} from '../src/conformance/open-points.js';
import {problems, routes, serviceRoutes} from '../src/contract/index.js';
import {exitCodes} from '../src/errors.js';
import {Metrics} from '../src/server/observability/metrics.js';
import {
  argumentWords,
  describeCommands,
  flagWords,
  type ManifestFlag,
  readCommands,
} from './build/manifest.js';
import {root} from './build/root.js';

/** The pages with tables, as paths from the root of the repository. */
export const referencePages = [
  'docs/commands.md',
  'docs/configuration.md',
  'docs/api.md',
  'docs/open-points.md',
] as const;

const {commands, globalFlags, serviceFlags, ownFlags} = describeCommands(readCommands());

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function commandTable(): string {
  const rows = commands.map((command) => {
    const {id, summary = ''} = command;
    return [code([id.replaceAll(':', ' '), ...argumentWords(command)].join(' ')), summary];
  });
  return table(['command', 'what it does'], rows);
}

function flagTable(flags: readonly ManifestFlag[]): string {
  const rows = flags.map((flag) => {
    const {description = ''} = flag;
    return [
      code(flagWords(flag)),
      flag.default === undefined ? description : `${description} (default ${flag.default})`,
    ];
  });
  return table(['flag', 'what it does'], rows);
}

/** The flags of all commands, those of all that call the service, and what each command adds. */
function flagTables(): Record<string, () => string> {
  const own = commands.flatMap((command) => {
    const flags = ownFlags(command);
    const name = `flags of ${command.id.replaceAll(':', ' ')}`;
    return flags.length === 0 ? [] : [[name, () => flagTable(flags)] as const];
  });
  return {
    'global flags': () => flagTable(globalFlags),
    'service flags': () => flagTable(serviceFlags),
    ...Object.fromEntries(own),
  };
}

function environmentTable(): string {
  const variables = new Map(
    Object.entries(variablesWithoutFlag).map(([name, what]) => [name, [code(name), '', what]]),
  );
  const uses = new Map<string, Map<string, string[]>>();
  for (const {id, flags} of commands) {
    for (const {name, env, description = ''} of Object.values(flags)) {
      if (env === undefined) continue;
      const meanings = uses.get(env) ?? new Map<string, string[]>();
      const ids = [...(meanings.get(description) ?? []), code(id.replaceAll(':', ' '))];
      uses.set(env, meanings.set(description, ids));
      // Commands that mean different things by a variable are named with what they mean.
      const texts = [...meanings].map(([text, users]) => `${users.join(', ')}: ${text}`);
      const meaning = meanings.size === 1 ? description : texts.join('; ');
      variables.set(env, [code(env), code(`--${name}`), meaning]);
    }
  }
  const rows = [...variables.keys()].sort().map((name) => variables.get(name) ?? []);
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
  commands: commandTable,
  ...flagTables(),
  'exit codes': () =>
    table(
      ['code', 'kind', 'when'],
      Object.entries(exitCodes).map(([kind, {code: number, when}]) => [
        `${number}`,
        code(kind),
        when,
      ]),
    ),
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
  for (const page of referencePages) {
    const path = join(root, page);
    writeFileSync(path, withCurrentTables(readFileSync(path, 'utf8')));
  }
}
