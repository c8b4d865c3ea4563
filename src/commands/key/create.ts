import {Flags} from '@oclif/core';
import {BaseCommand} from '../../cli/base-command.js';
import {durationFlag, storeFlags} from '../../cli/flags.js';
import {type ApiKeyJson, apiKeyJson} from '../../cli/store/api-key-json.js';
import {withKeyring} from '../../cli/store/keyring.js';
import {protectOutput} from '../../cli/terminal/streams.js';

export default class KeyCreate extends BaseCommand<ApiKeyJson & {api_key: string}> {
  static override description =
    'The key goes to stdout, alone on one line, this once; the store keeps its hash only. The organization comes into being with its first key. Works while the service runs.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --org acme --description ci',
    'KEY=$(<%= config.bin %> <%= command.id %> --org acme --expires 720h)',
  ];

  static override flags = {
    description: Flags.string({description: 'what the key is for', helpValue: 'TEXT'}),
    expires: durationFlag({description: 'how long the key is good for (default: until revoked)'}),
    org: Flags.string({
      aliases: ['organization'],
      default: 'default',
      description: 'organization that the key belongs to',
      helpValue: 'NAME',
    }),
    ...storeFlags,
  };

  static override summary = "Create an API key of one of the service's organizations";

  async run(): Promise<ApiKeyJson & {api_key: string}> {
    const {flags} = await this.parse(KeyCreate);
    const location = this.storeLocation(flags);
    const {record, secret} = await withKeyring({location, create: true}, (keyring) =>
      keyring.create({
        organization: flags.org,
        description: flags.description ?? null,
        expiresAt: flags.expires === undefined ? null : Date.now() + flags.expires,
      }),
    );
    protectOutput(
      `The API key is made, and lost with the output. Revoke it with: connectorctl key revoke ${record.id}`,
    );
    await this.print(`${secret}\n`);
    this.logToStderr(
      `Key ${record.id} of organization ${record.organization}, in the store ${location}; it is not shown again.`,
    );
    return {...apiKeyJson(record), api_key: secret};
  }
}
