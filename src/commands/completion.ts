import {Args} from '@oclif/core';
import {BaseCommand} from '../cli/base-command.js';
import {completionScripts, type Shell, shells} from '../cli/completion/scripts.js';

export default class Completion extends BaseCommand<{shell: Shell; script: string}> {
  static override args = {
    shell: Args.option({options: shells})({description: 'bash, zsh or fish', required: true}),
  };

  static override description =
    `The script completes commands, flags, their values, profiles, files, and the connectors of the service that the line is about. These are asked for with your API key when you press Tab, and not waited for longer than a second (CONNECTORCTL_COMPLETION_TIMEOUT).

For this session: eval the script, or in fish pipe it to source. For every session:

bash: put the eval into ~/.bashrc
zsh: put the eval into ~/.zshrc, behind compinit; or write the script to a directory of fpath, as _connectorctl
fish: write the script to ~/.config/fish/completions/connectorctl.fish`;

  static override examples = [
    'eval "$(<%= config.bin %> <%= command.id %> bash)"',
    'echo \'eval "$(<%= config.bin %> <%= command.id %> bash)"\' >> ~/.bashrc',
    'eval "$(<%= config.bin %> <%= command.id %> zsh)"',
    '<%= config.bin %> <%= command.id %> zsh > ~/.zfunc/_connectorctl',
    '<%= config.bin %> <%= command.id %> fish | source',
    '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/connectorctl.fish',
  ];

  static override summary = 'Print a script that completes commands in your shell';

  async run(): Promise<{shell: Shell; script: string}> {
    const {shell} = (await this.parse(Completion)).args;
    const script = completionScripts[shell];
    await this.print(script);
    return {shell, script};
  }
}
