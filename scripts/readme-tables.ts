// Writes the tables of README.md that repeat what the code says, between their markers:
//   <!-- table: NAME --> … <!-- end -->
// `npm run docs` rewrites them; a test fails while they differ.
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {activationTokenVariable} from '../src/cli/activation/input.js';
import {timeoutVariable} from '../src/cli/completion/complete.js';
import {apiKeyVariable} from '../src/cli/flags.js';
import {problems, routes} from '../src/contract/index.js';
import {exitCodes} from '../src/errors.js';

export const readmePath = join(dirname(fileURLToPath(import.meta.url)), '..', 'README.md');

interface ManifestFlag {
  readonly description?: string;
  readonly env?: string;
}
interface Manifest {
  readonly commands: Record<
    string,
    {
      readonly id: string;
      readonly summary?: string;
      readonly hidden?: boolean;
      readonly args: Record<string, {readonly required?: boolean}>;
      readonly flags: Record<string, ManifestFlag>;
    }
  >;
}

const manifest = JSON.parse(
  readFileSync(join(dirname(readmePath), 'oclif.manifest.json'), 'utf8'),
) as Manifest;

const cell = (text: string) => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function commandRows(): string[][] {
  const shown = Object.values(manifest.commands).filter(({hidden}) => !hidden);
  return shown.map(({id, args, summary}) => {
    const names = Object.entries(args).map(([name, {required}]) =>
      required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
    );
    return [`\`${[id.replaceAll(':', ' '), ...names].join(' ')}\``, summary ?? ''];
  });
}

/** Variables that no flag stands for. */
const alone: readonly (readonly [name: string, what: string])[] = [
  [apiKeyVariable, 'the API key itself; beats the file, unless --api-key-file names one'],
  [activationTokenVariable, 'the activation token itself, for `connector activate`'],
  [timeoutVariable, 'how long completion may ask the service (default 1s)'],
];

function environmentRows(): string[][] {
  const variables = new Map(alone.map(([name, what]) => [name, [`\`${name}\``, '', what]]));
  for (const {flags} of Object.values(manifest.commands)) {
    for (const [name, {env, description}] of Object.entries(flags)) {
      if (env !== undefined) variables.set(env, [`\`${env}\``, `\`--${name}\``, description ?? '']);
    }
  }
  return [...variables.keys()].sort().map((name) => variables.get(name) ?? []);
}

/** Each table by the name of its marker. */
export const tables: Readonly<Record<string, () => string>> = {
  commands: () => table(['command', 'does'], commandRows()),
  'exit-codes': () =>
    table(
      ['code', 'kind', 'when'],
      Object.entries(exitCodes).map(([kind, {code, when}]) => [`${code}`, `\`${kind}\``, when]),
    ),
  environment: () => table(['variable', 'flag', 'what'], environmentRows()),
  routes: () =>
    table(
      ['operation', 'method and path', 'success', 'who may'],
      Object.entries(routes).map(([name, {method, path, success, access}]) => [
        `\`${name}\``,
        `\`${method} ${path}\``,
        `${success.status}`,
        access,
      ]),
    ),
  problems: () =>
    table(
      ['code', 'status', 'meaning'],
      Object.entries(problems).map(([code, {status, title}]) => [
        `\`${code}\``,
        `${status}`,
        title,
      ]),
    ),
};

/** The README with every table as the code has it now. @throws Error on an unknown marker */
export function withCurrentTables(readme: string): string {
  return readme.replace(
    /(<!-- table: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const write = tables[name];
      if (write === undefined) throw new Error(`README.md names an unknown table: ${name}`);
      return `${start}\n${write()}\n\n${end}`;
    },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(readmePath, withCurrentTables(readFileSync(readmePath, 'utf8')));
}
