import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxStatus as Status} from '../../contract/sandbox.js';
import {renderSandboxStatus} from '../../render/sandbox.js';

export default class SandboxStatus extends SandboxCommand<Status> {
  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = "Show a sandbox's clock, connectors, faults and requests";

  async run(): Promise<Status> {
    await this.parse(SandboxStatus);
    const status = await this.call<Status>('status');
    await this.print(renderSandboxStatus(status));
    return status;
  }
}
