import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxStatus as Status} from '../../contract/sandbox.js';
import {renderSandboxStatus} from '../../render/sandbox.js';

export default class SandboxReset extends SandboxCommand<Status> {
  static override description =
    'Removes connectors, tokens, the list of requests, and faults; those of serve --fault start over. API keys and the clock are unchanged.';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = 'Empty a sandbox';

  async run(): Promise<Status> {
    await this.parse(SandboxReset);
    const status = await this.call<Status>('reset');
    await this.print(renderSandboxStatus(status));
    return status;
  }
}
