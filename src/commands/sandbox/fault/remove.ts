import {Args} from '@oclif/core';
import {SandboxCommand} from '../../../cli/sandbox/command.js';
import type {SandboxFault} from '../../../contract/sandbox.js';

export default class SandboxFaultRemove extends SandboxCommand<readonly SandboxFault[]> {
  static override args = {
    id: Args.string({
      description: 'number of the fault, as sandbox fault list shows it',
      required: true,
    }),
  };

  static override description = 'The other faults keep their numbers and counts.';

  static override examples = ['<%= config.bin %> <%= command.id %> 2'];

  static override hiddenAliases = ['sandbox:fault:rm'];

  static override summary = 'Remove one fault of a sandbox';

  async run(): Promise<readonly SandboxFault[]> {
    const {args} = await this.parse(SandboxFaultRemove);
    const {faults} = await this.call<{faults: readonly SandboxFault[]}>('removeFault', {
      params: args,
    });
    this.logToStderr(`Removed fault ${args.id}.`);
    return faults;
  }
}
