import {CommandHelp, Help as FrameworkHelp, type Interfaces} from '@oclif/core';
import {usualSize} from './terminal/capabilities.js';

/** A space at which no line may break. */
const noBreak = '\u00a0';

/** The help of one command. */
class Details extends CommandHelp {
  /** The framework leaves a blank for a flag that it has shown in an earlier group. */
  protected override defaultUsage(): string {
    const longest = this.opts.maxWidth - 2 * this.indentSpacing;
    return super
      .defaultUsage()
      .replace(/ +\]/g, ']')
      .replace(/ {2,}/g, ' ')
      .replace(/\[[^\]]*\]/g, (group) =>
        group.length > longest ? group : group.replaceAll(' ', noBreak),
      );
  }

  protected override usage(): string {
    return super.usage().replaceAll(noBreak, ' ');
  }

  /** In a narrow terminal the framework puts descriptions below their flags, two columns too wide. */
  override renderList(...[input, options]: Parameters<CommandHelp['renderList']>): string {
    return super.renderList(input, {...options, indentation: options.indentation + 2});
  }

  /** The summary is above it already. */
  protected override description(): string | undefined {
    const {description} = this.command;
    return description && this.wrap(description);
  }
}

/** The framework's help, in the width of the terminal; in a pipe, such as that of a pager, in that of `COLUMNS`. */
export default class Help extends FrameworkHelp {
  protected override CommandHelpClass = Details;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    const {COLUMNS: columns} = process.env;
    const piped = process.stdout.isTTY ? undefined : Number(columns) || usualSize.columns;
    super(config, {...options, ...(piped !== undefined && {maxWidth: Math.max(piped, 40)})});
  }
}
