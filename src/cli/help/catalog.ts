import type {Command, Interfaces} from '@oclif/core';
import {exitCodes} from '../../errors.js';
import {variablesWithoutFlag} from '../../flags.js';

/** The command line as data: the shape of `commands --json`. Absent fields are undefined. */
export type CommandCatalog = ReturnType<typeof catalogOf>;

type CommandView = ReturnType<typeof viewOf>;
type FlagView = ReturnType<typeof flagViewOf>;

/**
 * The commands of a build as data: all, with variables and exit codes, or only those that begin with `words`.
 *
 * @param words empty for all
 */
export function catalogOf(
  {version, commands}: Pick<Interfaces.Config, 'commands' | 'version'>,
  words: readonly string[] = [],
) {
  const shown = commands
    .filter(({hidden}) => !hidden)
    .map(viewOf)
    .filter(({command}) => words.every((word, index) => command.split(' ')[index] === word))
    .sort((one, other) => (one.command < other.command ? -1 : 1));
  return {
    /** Version of this shape. A change that breaks a reader raises it. */
    schema: 1 as const,
    version,
    commands: shown,
    ...(words.length === 0 && {
      environment: Object.entries(variablesWithoutFlag).map(([name, description]) => ({
        name,
        description,
      })),
      exit_codes: Object.entries(exitCodes).map(([kind, {code, when}]) => ({code, kind, when})),
    }),
  };
}

function viewOf({id, summary = '', description, args, flags}: Command.Loadable) {
  return {
    /** The command as typed, for instance `connector list`. */
    command: id.replaceAll(':', ' '),
    summary,
    description,
    args: Object.values(args).map(({name, required = false, multiple = false, ...arg}) => ({
      name: name.toUpperCase(),
      multiple,
      required,
      values: arg.options,
      description: arg.description ?? '',
    })),
    flags: Object.values(flags).map(flagViewOf),
  };
}

/** A flag, with dashes before its names. */
function flagViewOf(flag: Command.Flag.Cached) {
  const {name, char, description = '', required = false, dependsOn, exclusive} = flag;
  const option = flag.type === 'option' ? flag : undefined;
  return {
    name: `--${name}`,
    short: char && `-${char}`,
    /** Placeholder of its value, for instance `DURATION`; undefined for a flag without a value. */
    value: option && (option.helpValue?.toString() ?? option.options?.join('|') ?? 'VALUE'),
    /** The only values that it accepts; undefined when there is no such list. */
    values: option?.options,
    multiple: option?.multiple ?? false,
    required,
    default: option?.default as string | number | undefined,
    env: flag.env,
    depends_on: dependsOn?.map((other) => `--${other}`),
    exclusive: exclusive?.map((other) => `--${other}`),
    description,
  };
}

/** One line per command, argument, flag, variable and exit code; each makes sense alone, for grep. */
export function renderCommands({
  commands,
  environment = [],
  exit_codes = [],
}: CommandCatalog): string {
  const rows = [
    ...commands.flatMap(commandRows),
    ...environment.map(({name, description}) => [name, description]),
    ...exit_codes.map(({code, kind, when}) => [`exit code ${code}`, `${kind}: ${when}`]),
  ];
  return rows.map(([what = '', text]) => `${what.padEnd(50)}  ${text}\n`).join('');
}

function commandRows({command, summary, args, flags}: CommandView): readonly string[][] {
  return [
    [command, summary],
    ...args.map(({name, multiple, description}) => [
      `${command} ${name}${multiple ? '...' : ''}`,
      description,
    ]),
    ...flags.map((flag) => [`${command} ${usage(flag)}`, meaning(flag)]),
  ];
}

function usage({short, name, value, values}: FlagView): string {
  const names = short === undefined ? name : `${short}, ${name}`;
  return value === undefined ? names : `${names} ${values?.join('|') ?? value}`;
}

function meaning({description, default: initial, env}: FlagView): string {
  const notes = [initial === undefined ? '' : ` (default ${initial})`, env ? ` [${env}]` : ''];
  return description + notes.join('');
}
