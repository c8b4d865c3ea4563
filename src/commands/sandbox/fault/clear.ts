import {SandboxCommand} from '../../../cli/sandbox/command.js';
import type {SandboxFault} from '../../../contract/sandbox.js';

export default class SandboxFaultClear extends SandboxCommand<readonly SandboxFault[]> {
  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = 'Remove all faults of a sandbox';

  async run(): Promise<readonly SandboxFault[]> {
    await this.parse(SandboxFaultClear);
    const {faults} = await this.call<{faults: readonly SandboxFault[]}>('clearFaults');
    this.logToStderr('Removed all faults.');
    return faults;
  }
}
