import {CommandHelp, Help as FrameworkHelp, type Interfaces} from '@oclif/core';
import {usualSize} from '../terminal/capabilities.js';
import {helpTables, isTopic, topicSummaries} from './tables.js';

/** A space at which no line may break. */
const noBreak = '\u00a0';

/** Commands that the root help shows: the way from a service to a connector that is online. */
const firstCommands = [
  'connectorctl login',
  'connectorctl connector activate --name web-1 --credentials-file web-1.json',
  'connectorctl connector run --credentials-file web-1.json',
];

/** Where the documents are: at the address of the package, once it has one, and on this machine. */
function documents({pjson: {homepage}}: Pick<Interfaces.Config, 'pjson'>): string {
  const place = typeof homepage === 'string' ? homepage : 'docs/README.md in the repository';
  return `${place}; man connectorctl has all commands.`;
}

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

  protected override sections(): ReturnType<CommandHelp['sections']> {
    const own = Object.entries(helpTables[this.command.id.replaceAll(' ', ':')] ?? {}).map(
      ([heading, rows]) => ({
        header: heading.toUpperCase(),
        generate: () =>
          this.renderList(Object.entries(rows), {
            indentation: 0,
            spacer: '\n',
            stripAnsi: this.opts.stripAnsi ?? false,
          }),
      }),
    );
    const sections = super.sections();
    const at = sections.findIndex(({header}) => header === 'EXAMPLES');
    return [...sections.slice(0, at), ...own, ...sections.slice(at)];
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
  override async showHelp(argv: string[]): Promise<void> {
    const [name = ''] = argv.filter((word) => !word.startsWith('-'));
    if (!isTopic(name)) return super.showHelp(argv);
    const {helpTopics} = await import('./topics.js');
    const {rows, note} = helpTopics[name];
    this.log(`${topicSummaries[name]}\n\n${this.#list(rows(this.config))}\n\n${this.wrap(note)}`);
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp();
    const topics = Object.entries(topicSummaries).map(([name, summary]) => [
      `help ${name}`,
      summary,
    ]);
    const examples = firstCommands.map((line) => `$ ${line}`).join('\n');
    this.log(`${this.section('HELP TOPICS', this.#list(topics))}\n`);
    this.log(`${this.section('EXAMPLES', examples)}\n`);
    this.log(this.section('DOCUMENTS', this.wrap(documents(this.config))));
  }

  #list(rows: readonly (readonly string[])[]): string {
    return this.renderList(
      rows.map(([name = '', text]) => [name, text]),
      {indentation: 0, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false},
    );
  }
}
