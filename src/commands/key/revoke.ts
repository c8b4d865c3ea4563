import {Args, Flags} from '@oclif/core';
import {storeFlags, withStoreAdmin} from '../../admin/admin.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {isId} from '../../domain/ids.js';
import {refuseSecret} from '../../domain/secret.js';
import type {ApiKeyInfo} from '../../server/admin/admin.js';

export default class KeyRevoke extends BaseCommand<ApiKeyInfo> {
  static override args = {
    id: Args.string({
      description: 'public id of an API key (key_…), or id of a connector (con_…) for its own key',
      required: true,
    }),
  };

  static override description =
    'A running service refuses the key immediately; this cannot be undone. A connector whose key is revoked stays in the list with the status "revoked", until a token of "store reissue" activates it again.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> key_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    "<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --reason 'laptop lost'",
  ];

  static override flags = {
    reason: Flags.string({
      description: 'reason, shown by key list and in the audit log',
      helpValue: 'TEXT',
    }),
    ...storeFlags,
  };

  static override summary = 'Revoke an API key, or the key of a connector';

  async run(): Promise<ApiKeyInfo> {
    const {args, flags} = await this.parse(KeyRevoke);
    refuseSecret(args.id, "a key's public id", 'See the ids with: connectorctl key list');
    const key = await withStoreAdmin(flags, this.io, (admin) =>
      admin.revoke(args.id, flags.reason ?? null),
    );
    this.logToStderr(isId('con', key.id) ? `Revoked the key of ${key.id}.` : `Revoked ${key.id}.`);
    return key;
  }
}
