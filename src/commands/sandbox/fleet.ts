import {Args, Flags} from '@oclif/core';
import {integerFlag, letters, textFlag} from '../../cli/flags.js';
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
    count: Args.string({description: 'number of connectors to create, unless --name gives names'}),
  };

  static override description =
    'The others are online. None of them sends heartbeats: advance the clock, and they become stale and offline. Names of your own get the states in the order never, online, stale, offline, revoked. With --credentials it prints one line per connector: name, id, status and API key.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 500 --offline 3 --never 2',
    '<%= config.bin %> <%= command.id %> --name web-1 --name db-1 --offline 1 --credentials',
  ];

  static override flags = {
    credentials: Flags.boolean({description: 'print the connectors with their API keys'}),
    name: textFlag({
      char: letters.name,
      description: 'name of a connector to create; may be repeated',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
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
    const {credentials, name: names, never, offline, organization, revoked, stale} = flags;
    const body = {
      count: readCount(args.count, names),
      names,
      credentials,
      never,
      offline,
      organization,
      revoked,
      stale,
    };
    const fleet = await this.call<Fleet>('createFleet', {body, defaultTimeout: patience});
    const {connectors, created, first_name, last_name} = fleet;
    const lines = created?.map(({name, id, status, api_key}) =>
      [name, id, status, api_key].join('\t'),
    );
    const counts = `${first_name} to ${last_name}: ${renderCounts(connectors)}\n`;
    await this.print(lines === undefined ? counts : `${lines.join('\n')}\n`);
    return fleet;
  }
}

function readCount(
  text: string | undefined,
  names: readonly string[] | undefined,
): number | undefined {
  if (text === undefined && names !== undefined) return undefined;
  if (text === undefined) {
    throw new AppError('usage', 'The number of connectors is missing.', {
      hint: 'Write connectorctl sandbox fleet COUNT, or give names with --name.',
    });
  }
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new AppError('usage', `${JSON.stringify(text)} is not a number of connectors.`, {
    hint: 'Write a whole number from 1 to 200000.',
  });
}
