import {Args} from '@oclif/core';
import {integerFlag, textFlag} from '../../cli/flags.js';
import {SandboxCommand} from '../../cli/sandbox/command.js';
import type {SandboxFleet as Fleet} from '../../contract/sandbox.js';
import {AppError} from '../../errors.js';
import {renderCounts} from '../../render/sandbox.js';

/** In milliseconds: 200,000 connectors take about ten seconds on a busy machine. */
const patience = 5 * 60 * 1000;

const howMany = (status: string) =>
  integerFlag({default: 0, description: `connectors with the status ${status}`, min: 0});

export default class SandboxFleet extends SandboxCommand<Fleet> {
  static override args = {
    count: Args.string({description: 'number of connectors to create', required: true}),
  };

  static override description =
    'The others are online. None of them sends heartbeats: advance the clock, and they become stale and offline.';

  static override examples = ['<%= config.bin %> <%= command.id %> 500 --offline 3 --never 2'];

  static override flags = {
    never: howMany('never'),
    offline: howMany('offline'),
    organization: textFlag({
      description: 'organization of the connectors (default: default)',
      helpValue: 'NAME',
    }),
    revoked: howMany('revoked'),
    stale: howMany('stale'),
  };

  static override summary = 'Create connectors in a sandbox, in any mix of states';

  async run(): Promise<Fleet> {
    const {args, flags} = await this.parse(SandboxFleet);
    const {never, offline, organization, revoked, stale} = flags;
    const body = {
      count: readCount(args.count),
      never,
      offline,
      organization,
      revoked,
      stale,
    };
    const fleet = await this.call<Fleet>('createFleet', body, patience);
    const {connectors, first_name, last_name} = fleet;
    await this.print(`${first_name} to ${last_name}: ${renderCounts(connectors)}\n`);
    return fleet;
  }
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new AppError('usage', `${JSON.stringify(text)} is not a number of connectors.`, {
    hint: 'Write a whole number from 1 to 200000.',
  });
}
