import {BaseCommand} from '../cli/command/base-command.js';
import {type CommandCatalog, catalogOf, renderCommands} from '../cli/help/catalog.js';

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
    const catalog = catalogOf(this.config);
    await this.print(renderCommands(catalog));
    return catalog;
  }
}
