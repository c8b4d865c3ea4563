import type {Command} from '@oclif/core';
import {activationTokenVariable} from '../cli/activation/input.js';
import {BaseCommand} from '../cli/base-command.js';
import {timeoutVariable} from '../cli/completion/complete.js';
import {apiKeyVariable} from '../cli/flags.js';
import {exitCodes} from '../errors.js';
import {
  type CommandCatalog,
  type CommandView,
  type FlagView,
  renderCommands,
} from '../render/commands.js';

/** Environment variables that belong to no flag. */
export const variablesWithoutFlag: Readonly<Record<string, string>> = {
  [apiKeyVariable]: 'the API key itself; overrides the file unless --api-key-file names one',
  [activationTokenVariable]: 'the activation token itself, for `connector activate`',
  [timeoutVariable]: 'how long completion waits for the service (default 1s)',
};

export default class Commands extends BaseCommand<CommandCatalog> {
  static override description =
    'One line per command, argument, flag, environment variable and exit code, to search with grep. With --json the same with the allowed values of each flag, for scripts and agents.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> | grep timeout',
    '<%= config.bin %> <%= command.id %> --json | jq \'.commands[] | select(.command == "serve") | .flags[].name\'',
  ];

  static override summary = 'List all commands with their flags, variables and exit codes';

  async run(): Promise<CommandCatalog> {
    await this.parse(Commands);
    const catalog: CommandCatalog = {
      schema: 1,
      version: this.config.version,
      commands: this.config.commands
        .filter(({hidden}) => !hidden)
        .map(viewOf)
        .sort((one, other) => (one.command < other.command ? -1 : 1)),
      environment: Object.entries(variablesWithoutFlag).map(([name, description]) => ({
        name,
        description,
      })),
      exit_codes: Object.entries(exitCodes).map(([kind, {code, when}]) => ({code, kind, when})),
    };
    await this.print(renderCommands(catalog));
    return catalog;
  }
}

function viewOf({id, summary = '', description, args, flags}: Command.Loadable): CommandView {
  return {
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

function flagViewOf(flag: Command.Flag.Cached): FlagView {
  const {name, char, description = '', required = false, dependsOn, exclusive} = flag;
  const option = flag.type === 'option' ? flag : undefined;
  return {
    name: `--${name}`,
    short: char && `-${char}`,
    value: option && (option.helpValue?.toString() ?? option.options?.join('|') ?? 'VALUE'),
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
