import {Args} from '@oclif/core';
import {type ApiKeyJson, apiKeyJson} from '../../cli/api-key-json.js';
import {BaseCommand} from '../../cli/base-command.js';
import {storeFlags} from '../../cli/flags.js';
import {withKeyring} from '../../cli/keyring-access.js';
import {refuseSecret} from '../../cli/misplaced-secret.js';

export default class KeyRevoke extends BaseCommand<ApiKeyJson> {
  static override args = {
    id: Args.string({description: "the key's public id (key_…)", required: true}),
  };

  static override description =
    'A running service refuses the key from then on. Revoking it again changes nothing.';

  static override examples = ['<%= config.bin %> <%= command.id %> key_01ARZ3NDEKTSV4RRFFQ69G5FAV'];

  static override flags = storeFlags;

  static override summary = 'Revoke an API key';

  async run(): Promise<ApiKeyJson> {
    const {args, flags} = await this.parse(KeyRevoke);
    refuseSecret(args.id, "a key's public id", 'See the ids with: connectorctl key list');
    const location = this.storeLocation(flags);
    const key = await withKeyring({location, create: false}, (keyring) => keyring.revoke(args.id));
    this.say(`Revoked ${key.id}.`);
    return apiKeyJson(key);
  }
}
