import {Args} from '@oclif/core';
import {BaseCommand} from '../cli/base-command.js';
import {completionScripts, type Shell, shells} from '../cli/completion-scripts.js';

export default class Completion extends BaseCommand<{shell: Shell; script: string}> {
  static override args = {
    shell: Args.option({options: shells})({description: 'bash, zsh or fish', required: true}),
  };

  static override description =
    "Prints a script for your shell, which then completes commands, flags, their values, profiles, files, and the connectors of the service that the line is about. For this session: eval it (fish: pipe it to source). For every session: put the line into ~/.bashrc; into ~/.zshrc behind compinit, or the script into a folder of zsh's fpath as _connectorctl; for fish, write it to the file below. Connectors are asked for with your API key when you press Tab; a service that takes longer than a second (CONNECTORCTL_COMPLETION_TIMEOUT) is not waited for.";

  static override examples = [
    'eval "$(<%= config.bin %> <%= command.id %> bash)"',
    'echo \'eval "$(<%= config.bin %> <%= command.id %> bash)"\' >> ~/.bashrc',
    'eval "$(<%= config.bin %> <%= command.id %> zsh)"',
    '<%= config.bin %> <%= command.id %> zsh > /usr/local/share/zsh/site-functions/_connectorctl',
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
