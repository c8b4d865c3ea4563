import {SandboxCommand} from '../../../cli/sandbox/command.js';
import {terminalWidth} from '../../../cli/terminal/capabilities.js';
import type {SandboxFault} from '../../../contract/sandbox.js';
import {renderGrid} from '../../../render/table/grid.js';

export default class SandboxFaultList extends SandboxCommand<readonly SandboxFault[]> {
  static override description =
    'MATCHED counts the requests to the operation of a fault since it was added, APPLIED those that it affected. A fault that is done has no further effect.';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override hiddenAliases = ['sandbox:fault:ls'];

  static override summary = 'List the faults of a sandbox';

  async run(): Promise<readonly SandboxFault[]> {
    await this.parse(SandboxFaultList);
    const {faults} = await this.call<{faults: readonly SandboxFault[]}>('listFaults');
    if (faults.length === 0) this.logToStderr('No faults.');
    else await this.print(await renderGrid(head, faults.map(row), terminalWidth()));
    return faults;
  }
}

const head = ['ID', 'FAULT', 'MATCHED', 'APPLIED', 'DONE'];

function row({id, spec, matched, applied, done}: SandboxFault): string[] {
  return [String(id), spec, String(matched), String(applied), done ? 'yes' : 'no'];
}
