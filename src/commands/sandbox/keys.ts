import {textFlag} from '../../cli/flags.js';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxKey} from '../../contract/sandbox.js';

export default class SandboxKeys extends SandboxCommand<SandboxKey> {
  static override description =
    'Prints the key alone on stdout. An organization exists from its first key on. The key works until the sandbox stops, also after a reset.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    'export CONNECTORCTL_API_KEY=$(<%= config.bin %> <%= command.id %>)',
    '<%= config.bin %> <%= command.id %> --organization other',
  ];

  static override flags = {
    organization: textFlag({
      description: 'organization of the key (default: default)',
      helpValue: 'NAME',
    }),
  };

  static override summary = 'Create an API key in a sandbox, of any organization';

  async run(): Promise<SandboxKey> {
    const {flags} = await this.parse(SandboxKeys);
    const {organization} = flags;
    const key = await this.call<SandboxKey>('createKey', {body: {organization}});
    await this.print(`${key.api_key}\n`);
    this.logToStderr(`Created key ${key.id} of organization ${key.organization}.`);
    return key;
  }
}
