import {Args} from '@oclif/core';
import {BaseCommand} from '../cli/command/base-command.js';
import {completionScripts} from '../cli/completion/scripts.js';

const shells = ['bash', 'zsh', 'fish'] as const;

export default class Completion extends BaseCommand<{shell: string; script: string}> {
  static override args = {
    shell: Args.option({options: shells})({
      description: 'shell to print the script for',
      required: true,
    }),
  };

  static override description =
    'The script completes commands, flags, their values, profiles, files and connectors, whose ids it requests from the service with your API key when you press Tab. To load it in every session, add the eval line to ~/.bashrc, or to ~/.zshrc after compinit; fish loads the file in its example automatically.';

  static override examples = [
    'eval "$(<%= config.bin %> <%= command.id %> bash)"',
    '<%= config.bin %> <%= command.id %> zsh > ~/.zfunc/_connectorctl',
    '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/connectorctl.fish',
  ];

  static override summary = 'Print a shell completion script';

  async run(): Promise<{shell: string; script: string}> {
    const {shell} = (await this.parse(Completion)).args;
    const script = completionScripts[shell];
    await this.print(script);
    return {shell, script};
  }
}
