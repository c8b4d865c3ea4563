import type {Command, Interfaces} from '@oclif/core';
import {timeoutVariable} from '../cli/completion/complete.js';
import {activationTokenVariable} from '../connector/activate/input.js';
import {exitCodes} from '../errors.js';
import {controlTokenVariable} from '../sandbox/token.js';
import {apiKeyVariable} from '../service/settings.js';
import type {CommandCatalog, CommandView, FlagView} from './view.js';

/** Environment variables that belong to no flag. */
export const variablesWithoutFlag: Readonly<Record<string, string>> = {
  [apiKeyVariable]: 'the API key itself; overrides the file unless --api-key-file names one',
  [controlTokenVariable]:
    'the control token of a sandbox itself; the flag and its file override it',
  [activationTokenVariable]: 'the activation token itself, for `connector activate`',
  [timeoutVariable]: 'how long completion waits for the service (default 1s)',
};

/** The command line of a build as data. */
export function catalogOf({
  version,
  commands,
}: Pick<Interfaces.Config, 'commands' | 'version'>): CommandCatalog {
  return {
    schema: 1,
    version,
    commands: commands
      .filter(({hidden}) => !hidden)
      .map(viewOf)
      .sort((one, other) => (one.command < other.command ? -1 : 1)),
    environment: Object.entries(variablesWithoutFlag).map(([name, description]) => ({
      name,
      description,
    })),
    exit_codes: Object.entries(exitCodes).map(([kind, {code, when}]) => ({code, kind, when})),
  };
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
