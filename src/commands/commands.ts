import {Args} from '@oclif/core';
import {BaseCommand} from '../cli/command/base-command.js';
import {unknownCommand} from '../cli/errors/command-not-found.js';
import {type CommandCatalog, catalogOf, renderCommands} from '../cli/help/catalog.js';

export default class Commands extends BaseCommand<CommandCatalog> {
  static override args = {
    command: Args.string({
      description: 'only this command, or all of a topic, such as connector list',
      multiple: true,
    }),
  };

  static override description =
    'One line per command, argument, flag, environment variable and exit code, to search with grep. With --json the same with the allowed values of each flag, for scripts and agents.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> | grep timeout',
    "<%= config.bin %> <%= command.id %> connector list --json | jq -r '.commands[].flags[].name'",
  ];

  static override summary = 'List all commands with their flags, variables and exit codes';

  async run(): Promise<CommandCatalog> {
    const {args} = await this.parse(Commands);
    const words = (args.command ?? []).flatMap((word) => word.split(/[\s:]+/));
    const catalog = catalogOf(this.config, words);
    if (catalog.commands.length === 0) {
      const names = catalogOf(this.config).commands.map(({command}) => command);
      throw await unknownCommand(this.config, words, names);
    }
    await this.print(renderCommands(catalog));
    return catalog;
  }
}
