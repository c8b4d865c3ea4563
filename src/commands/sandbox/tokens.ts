import {textFlag} from '../../cli/flags.js';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxTokens as Tokens} from '../../contract/sandbox.js';

export default class SandboxTokens extends SandboxCommand<Tokens> {
  static override description =
    'A new one of each: usable, used, expired, unknown to the service, and malformed. They are good in this sandbox alone.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r .expired',
  ];

  static override flags = {
    organization: textFlag({description: 'organization to make them for (default: default)'}),
  };

  static override summary = 'Make an activation token of each kind in a sandbox';

  async run(): Promise<Tokens> {
    const {flags} = await this.parse(SandboxTokens);
    const {organization} = flags;
    const tokens = await this.call<Tokens>('createTokens', {organization});
    const lines = Object.entries(tokens).map(([kind, token]) => `${kind.padEnd(9)}  ${token}\n`);
    await this.print(lines.join(''));
    return tokens;
  }
}
