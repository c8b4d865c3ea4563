import {Flags} from '@oclif/core';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import {terminalWidth} from '../../cli/terminal/capabilities.js';
import type {SandboxRequests as Requests} from '../../contract/sandbox.js';
import {renderGrid} from '../../render/table/grid.js';

export default class SandboxRequests extends SandboxCommand<Requests> {
  static override description =
    'The last 10,000 requests, oldest first, with the time on the virtual clock, the status that was sent, whether an Idempotency-Key came the first time or again, and the faults that affected them. --json adds the connector. It shows no headers, bodies or secrets.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> --json | jq '.requests[] | select(.faults != [])'",
  ];

  static override flags = {
    clear: Flags.boolean({
      description: 'remove them after they are listed; the next request has the number 1',
    }),
  };

  static override summary = 'List what clients sent to a sandbox';

  async run(): Promise<Requests> {
    const {flags} = await this.parse(SandboxRequests);
    const journal = await this.call<Requests>(flags.clear ? 'clearRequests' : 'listRequests');
    const {total, requests} = journal;
    if (requests.length === 0) this.logToStderr('No requests yet.');
    else {
      const rows = requests.map(({number, at, method, path, status, idempotency, faults}) => [
        String(number),
        at,
        method,
        path,
        status === null ? 'none' : String(status),
        idempotency,
        faults.join(' '),
      ]);
      await this.print(await renderGrid(head, rows, terminalWidth()));
    }
    if (requests.length < total) {
      this.logToStderr(`These are the last ${requests.length} of ${total} requests.`);
    }
    return journal;
  }
}

const head = ['NO', 'TIME', 'METHOD', 'PATH', 'STATUS', 'IDEMPOTENCY', 'FAULTS'];
