/** The command line as data: the shape of `commands --json`. */
export interface CommandCatalog {
  /** Version of this shape. A change that breaks a reader raises it. */
  readonly schema: 1;
  readonly version: string;
  readonly commands: readonly CommandView[];
  /** The variables that belong to no flag. */
  readonly environment: readonly {readonly name: string; readonly description: string}[];
  /** The same for all commands. */
  readonly exit_codes: readonly {
    readonly code: number;
    readonly kind: string;
    readonly when: string;
  }[];
}

/** A command; absent fields are undefined. */
export interface CommandView {
  /** As it is typed, for instance `connector list`. */
  readonly command: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly args: readonly {
    readonly name: string;
    /** Whether there may be several. */
    readonly multiple: boolean;
    readonly required: boolean;
    readonly values: readonly string[] | undefined;
    readonly description: string;
  }[];
  readonly flags: readonly FlagView[];
}

/** A flag, with dashes before its names. */
export interface FlagView {
  readonly name: string;
  readonly short: string | undefined;
  /** What its value is, for instance `DURATION`; undefined for a flag without a value. */
  readonly value: string | undefined;
  /** The only values that it accepts; undefined when there is no such list. */
  readonly values: readonly string[] | undefined;
  /** Whether it may be repeated. */
  readonly multiple: boolean;
  readonly required: boolean;
  readonly default: string | number | undefined;
  /** The environment variable that sets it. */
  readonly env: string | undefined;
  readonly depends_on: readonly string[] | undefined;
  readonly exclusive: readonly string[] | undefined;
  readonly description: string;
}

/** One line per command, argument, flag, variable and exit code; each makes sense alone, for grep. */
export function renderCommands({commands, environment, exit_codes}: CommandCatalog): string {
  const rows = [
    ...commands.flatMap(({command, summary, args, flags}) => [
      [command, summary],
      ...args.map(({name, multiple, description}) => [
        `${command} ${name}${multiple ? '...' : ''}`,
        description,
      ]),
      ...flags.map((flag) => [`${command} ${usage(flag)}`, meaning(flag)]),
    ]),
    ...environment.map(({name, description}) => [name, description]),
    ...exit_codes.map(({code, kind, when}) => [`exit code ${code}`, `${kind}: ${when}`]),
  ];
  return rows.map(([what = '', text]) => `${what.padEnd(50)}  ${text}\n`).join('');
}

function usage({short, name, value, values}: FlagView): string {
  const names = short === undefined ? name : `${short}, ${name}`;
  return value === undefined ? names : `${names} ${values?.join('|') ?? value}`;
}

function meaning({description, default: initial, env}: FlagView): string {
  const notes = [initial === undefined ? '' : ` (default ${initial})`, env ? ` [${env}]` : ''];
  return description + notes.join('');
}
