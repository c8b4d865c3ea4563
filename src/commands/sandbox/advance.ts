import {Args} from '@oclif/core';
import {parseDuration} from '../../cli/flags.js';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxStatus as Status} from '../../contract/sandbox.js';
import {renderSandboxStatus} from '../../render/sandbox.js';

export default class SandboxAdvance extends SandboxCommand<Status> {
  static override args = {
    duration: Args.string({description: 'how far, such as 90s, 10m or 1d', required: true}),
  };

  static override description =
    'Tokens expire and connectors become stale as if the time had passed. The command returns once all of that is visible; time never goes back.';

  static override examples = ['<%= config.bin %> <%= command.id %> 10m'];

  static override summary = "Advance a sandbox's virtual clock";

  async run(): Promise<Status> {
    const {args} = await this.parse(SandboxAdvance);
    const seconds = parseDuration(args.duration, 'The argument') / 1000;
    const status = await this.call<Status>('advance', {body: {seconds}});
    await this.print(renderSandboxStatus(status));
    return status;
  }
}
