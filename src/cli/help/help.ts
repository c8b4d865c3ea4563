import {format} from 'node:util';
import {type Command, CommandHelp, Help as FrameworkHelp, type Interfaces} from '@oclif/core';
import {networkVariables} from '../../flags.js';
import {usualSize} from '../../terminal/io.js';
import {ioOf} from '../process/run.js';

/** Commands that the root help shows: the way from a service to a connector that is online. */
const firstCommands = [
  'connectorctl login',
  'connectorctl connector activate --name web-1 --credentials-file web-1.json',
  'connectorctl connector run --credentials-file web-1.json',
];

/** Where to read on: the address of the package, once it has one, and the manual page. */
function documents({pjson: {homepage}}: Pick<Interfaces.Config, 'pjson'>): string {
  const manual = 'man connectorctl has all commands.';
  return typeof homepage === 'string' ? `${homepage}; ${manual}` : manual;
}

/** The help of one command. */
class Details extends CommandHelp {
  /** The usage without the flags, which the help lists below. */
  protected override defaultUsage(): string {
    const args = Object.values(this.command.args).map((arg) =>
      this.arg(arg.multiple ? {...arg, name: `${arg.name}...`} : arg),
    );
    return [this.command.id, ...args, '[FLAGS]'].join(' ');
  }

  /** A command's own flags come first, then the service flags, then the global flags. */
  protected override groupFlags(flags: Command.Flag.Any[]): ReturnType<CommandHelp['groupFlags']> {
    const {mainFlags, flagGroups} = super.groupFlags(flags);
    const {SERVICE: service = [], GLOBAL: global = [], ...own} = flagGroups;
    return {mainFlags, flagGroups: {...own, SERVICE: service, GLOBAL: global}};
  }

  /** In a narrow terminal the framework puts descriptions below their flags, two columns too wide. */
  override renderList(...[input, options]: Parameters<CommandHelp['renderList']>): string {
    return super.renderList(input, {...options, indentation: options.indentation + 2});
  }

  /** The description alone: the help shows the summary above it. */
  protected override description(): string | undefined {
    const {description} = this.command;
    return description && this.wrap(description);
  }
}

/** The framework's help, as wide as the terminal, or in a pipe as wide as `COLUMNS` says. */
export default class Help extends FrameworkHelp {
  protected override CommandHelpClass = Details;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    const {COLUMNS: columns} = process.env;
    const piped = ioOf(config).stdout.isTerminal ? undefined : Number(columns) || usualSize.columns;
    super(config, {...options, ...(piped !== undefined && {maxWidth: Math.max(piped, 40)})});
  }

  /** Writes help as a result: the framework would not notice a failed write. */
  protected override log(...words: unknown[]): void {
    void ioOf(this.config).result(`${format(...words)}\n`);
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp();
    const examples = firstCommands.map((line) => `$ ${line}`).join('\n');
    this.log(`${this.section('EXAMPLES', examples)}\n`);
    this.log(`${this.section('ENVIRONMENT', this.wrap(networkVariables))}\n`);
    this.log(this.section('DOCUMENTS', this.wrap(documents(this.config))));
  }
}
