import {textFlag} from '../../cli/flags.js';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxTokens as Tokens} from '../../contract/sandbox.js';

export default class SandboxTokens extends SandboxCommand<Tokens> {
  static override description =
    'Creates one token of each kind: usable, used, expired, unknown to the service, and malformed. They work only in this sandbox. The used one has activated a connector with the name used-token.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r .expired',
  ];

  static override flags = {
    organization: textFlag({
      description: 'organization of the tokens (default: default)',
      helpValue: 'NAME',
    }),
  };

  static override summary = 'Create an activation token of each kind in a sandbox';

  async run(): Promise<Tokens> {
    const {flags} = await this.parse(SandboxTokens);
    const {organization} = flags;
    const tokens = await this.call<Tokens>('createTokens', {body: {organization}});
    const lines = Object.entries(tokens).map(([kind, token]) => `${kind.padEnd(9)}  ${token}\n`);
    await this.print(lines.join(''));
    return tokens;
  }
}
