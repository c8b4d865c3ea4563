// The page of each command: docs/commands/TOPIC/NAME.md. What the manifest says stands between markers, as the
// tables of other pages do; the rest is written by hand.
import {exitCodes} from '../src/errors.js';
import {
  argumentWords,
  describeCommands,
  flagWords,
  type ManifestCommand,
  type ManifestFlag,
  readCommands,
} from './build/manifest.js';

const {commands, globalFlags, serviceFlags, ownFlags, callsService} = describeCommands(
  readCommands(),
);

/** A text as code of Markdown. */
export const code = (text: string) => `\`${text}\``;

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const directory = 'docs/commands';

/** A command as it is typed, without `connectorctl`. */
const nameOf = ({id}: ManifestCommand) => id.replaceAll(':', ' ');

const fileOf = ({id}: ManifestCommand) => `${id.replaceAll(':', '/')}.md`;

/** The pages of the commands, as paths from the root of the repository. */
export const commandPages: readonly string[] = commands.map(
  (command) => `${directory}/${fileOf(command)}`,
);

/** The pages beside them: what all commands have in common. */
export const topicPages: readonly string[] = ['README', 'environment', 'exit-codes'].map(
  (name) => `${directory}/${name}.md`,
);

function commandTable(): string {
  const rows = commands.map((command) => [
    `[${code([nameOf(command), ...argumentWords(command)].join(' '))}](${fileOf(command)})`,
    command.summary ?? '',
  ]);
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

/** A text of help, with the names of flags as code. */
const withFlags = (text: string) => text.replace(/(?<![`\w-])--[a-z][\w-]*/g, code);

/** The usage, and the description that `--help` shows. Names of flags are code. */
function head(command: ManifestCommand): string {
  const {summary = '', description = `${summary}.`} = command;
  const words = ['connectorctl', nameOf(command), ...argumentWords(command), '[FLAG]...'];
  return `\`\`\`text\n${words.join(' ')}\n\`\`\`\n\n${withFlags(description)}`;
}

/** The flags of the command. */
function tail(command: ManifestCommand): string {
  const own = ownFlags(command);
  const readme = `${'../'.repeat(command.id.split(':').length - 1)}README.md`;
  const global = `[Flags of all commands](${readme}#flags-of-all-commands)`;
  const service = `[those that call the service](${readme}#flags-of-commands-that-call-the-service)`;
  return [
    '## Flags',
    ...(own.length === 0 ? [] : [flagTable(own)]),
    callsService(command) ? `${global} and of ${service} apply too.` : `${global} apply too.`,
  ].join('\n\n');
}

/** The generated parts of these pages, by the names of their markers. */
export const commandTables: Readonly<Record<string, () => string>> = {
  commands: commandTable,
  'global flags': () => flagTable(globalFlags),
  'service flags': () => flagTable(serviceFlags),
  'exit codes': () =>
    table(
      ['code', 'kind', 'when'],
      Object.entries(exitCodes).map(([kind, {code: number, when}]) => [
        `${number}`,
        code(kind),
        when,
      ]),
    ),
  ...Object.fromEntries(
    commands.flatMap((command) => [
      [`usage of ${nameOf(command)}`, () => head(command)],
      [`flags of ${nameOf(command)}`, () => tail(command)],
    ]),
  ),
};
