import {Flags} from '@oclif/core';
import ms from 'ms';
import {readDuration} from './domain/duration.js';
import {AppError} from './errors.js';

/** The environment variables without a flag, with their descriptions. */
export const variablesWithoutFlag = {
  CONNECTORCTL_API_KEY: 'the API key itself; overridden by --api-key-file and a credentials file',
  CONNECTORCTL_CONTROL_TOKEN:
    'the control token of a sandbox itself; overridden by --control-token-file and its variable',
  CONNECTORCTL_ACTIVATION_TOKEN: 'the activation token itself, for `connector activate`',
  CONNECTORCTL_COMPLETION_TIMEOUT: 'time limit of the service during completion (default 1s)',
  CONNECTORCTL_REVOKED_API_KEY: 'the revoked API key itself, for `conformance`',
  CONNECTORCTL_SECOND_API_KEY: 'the API key of another organization itself, for `conformance`',
} as const;

/** The variables of curl and Node.js that every request to a service obeys, as help names them. */
export const networkVariables =
  'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY choose the proxy, and NODE_EXTRA_CA_CERTS names a file with more certificate authorities.';

/** An environment variable that belongs to no flag. */
export type VariableWithoutFlag = keyof typeof variablesWithoutFlag;

/**
 * The letters of the frequent flags. A letter means the same in every command; `-h` asks for help everywhere, and `-v` as
 * the first argument for the version.
 */
export const letters = {
  'base-url': 'u',
  columns: 'c',
  force: 'f',
  name: 'n',
  output: 'o',
  profile: 'p',
  quiet: 'q',
  status: 's',
  watch: 'w',
  yes: 'y',
} as const;

/** Reads the duration of a flag or a variable, in milliseconds; see `readDuration`. @throws AppError `usage` */
export function parseDuration(input: string, flag: string): number {
  const value = readDuration(input);
  if (value !== undefined) return value;
  throw new AppError('usage', `${flag} ${JSON.stringify(input)} is not a duration.`, {
    hint: 'Write a number above zero with its unit, such as 500ms, 10s, 1m30s or 2d.',
  });
}

/** A flag for a duration; its value and its limits are in milliseconds. */
export const durationFlag = Flags.custom<
  number,
  {min?: number; max?: number; allowsZero?: boolean}
>({
  helpValue: 'DURATION',
  async parse(input, _context, options) {
    const {name, min = 0, max = Number.POSITIVE_INFINITY, allowsZero = false} = options;
    if (allowsZero && /^\s*0+\s*(?:ms|[smhd])\s*$/i.test(input)) return 0;
    const value = parseDuration(input, `--${name}`);
    if (value >= min && value <= max) return value;
    const [fault, limit] =
      value < min ? ['short', `${ms(min)} or more`] : ['long', `${ms(max)} or less`];
    throw new AppError('usage', `--${name} ${JSON.stringify(input)} is too ${fault}.`, {
      hint: `Write ${limit}.`,
    });
  },
});

/** The flag for the format on stdout, which `--json` overrides. @param env its environment variable */
export const formatFlag = <Format extends string>(formats: readonly Format[], env?: string) =>
  Flags.option({
    char: letters.output,
    description: `format: ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}; --json overrides it`,
    ...(env !== undefined && {env}),
    helpValue: 'FORMAT',
    options: formats,
  })();

/** The flag that selects connectors by name. */
export const namesFlag = () =>
  Flags.string({
    char: letters.name,
    description: 'only matching names: * any text, ? one character; may be repeated',
    helpValue: 'GLOB',
    multiple: true,
    multipleNonGreedy: true,
  });

/** A flag that takes several values, repeated or with commas between them. */
export const listFlag = (options: {
  readonly char?: (typeof letters)[keyof typeof letters];
  readonly description: string;
  readonly helpValue: string;
}) => Flags.string({...options, delimiter: ',', multiple: true, multipleNonGreedy: true});

/** A flag for a whole number. */
export const integerFlag = Flags.custom<number, {min: number; max?: number}>({
  helpValue: 'N',
  async parse(input, _context, {name, min, max = Number.MAX_SAFE_INTEGER}) {
    const value = /^-?\d{1,15}$/.test(input) ? Number(input) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
    throw new AppError('usage', `--${name} ${JSON.stringify(input)} is not valid.`, {
      hint: `Write a whole number, ${range}.`,
    });
  },
});

/** The flags of every command. */
export const globalFlags = {
  // Replaces the flag of the framework, whose description has another style.
  json: Flags.boolean({
    description: 'print the result as JSON',
    helpGroup: 'GLOBAL',
  }),
  'no-color': Flags.boolean({
    description: 'disable color',
    helpGroup: 'GLOBAL',
  }),
  quiet: Flags.boolean({
    char: letters.quiet,
    description: 'write nothing but errors to stderr',
    helpGroup: 'GLOBAL',
  }),
};

/** The flag of commands that may prompt. */
export const inputFlags = {
  'no-input': Flags.boolean({
    description: 'never prompt; a missing value is an error',
    env: 'CONNECTORCTL_NO_INPUT',
    helpGroup: 'GLOBAL',
  }),
};
