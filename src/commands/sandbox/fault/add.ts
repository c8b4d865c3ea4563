import {Args} from '@oclif/core';
import {SandboxCommand} from '../../../cli/sandbox/command.js';
import type {SandboxFault} from '../../../contract/sandbox.js';

export default class SandboxFaultAdd extends SandboxCommand<SandboxFault> {
  static override args = {
    spec: Args.string({description: 'OPERATION:EFFECT[@WHEN]', required: true}),
  };

  static override description =
    `OPERATION is create-token, activate, list, get, heartbeat or * for all.

EFFECT is one of:
  503                  this status from 200 to 599, and nothing is carried out
  503,retry-after=30s  with a Retry-After header
  latency=2s           a pause before the request is handled
  reset                the connection is reset, and nothing is carried out
  drop-response        the operation is carried out; then the connection closes
  slow-body            the body comes in pieces over 5 s, or slow-body=20s
  truncate             the connection closes after half of the body
  garbage              bytes that are not JSON in place of the body
  date=+5m             a Date header that is wrong by this much, 3650d at most

WHEN is 10% of the requests, #3 for only the third, 3x for the next three, or 5m for five minutes of the virtual clock. Without it, the fault acts on all requests.`;

  static override examples = [
    '<%= config.bin %> <%= command.id %> heartbeat:503,retry-after=30s@3x',
    '<%= config.bin %> <%= command.id %> activate:drop-response@#1',
    "<%= config.bin %> <%= command.id %> '*:latency=2s@10%'",
  ];

  static override summary = 'Add a fault to a sandbox';

  async run(): Promise<SandboxFault> {
    const {args} = await this.parse(SandboxFaultAdd);
    const fault = await this.call<SandboxFault>('addFault', {body: {spec: args.spec}});
    await this.print(`Added fault ${fault.id}: ${fault.spec}\n`);
    return fault;
  }
}
