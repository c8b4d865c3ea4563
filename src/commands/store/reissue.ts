import {Args, Flags} from '@oclif/core';
import {storeFlags, withStoreAdmin} from '../../admin/admin.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {requireId} from '../../connector/id-words.js';
import {timestamp} from '../../domain/timestamp.js';
import type {ConnectorInfo} from '../../server/admin/admin.js';
import {escapeControl} from '../../terminal/escape.js';
import {shownWord} from '../../terminal/notices.js';

interface ReissueJson {
  readonly token: string;
  readonly expires_at: string;
  /** The connector that gets a new key. */
  readonly connector: ConnectorInfo;
}

export default class StoreReissue extends BaseCommand<ReissueJson> {
  static override args = {
    id: Args.string({description: 'id of the connector (con_…)', required: true}),
  };

  static override description =
    'Prints an activation token on stdout, alone on one line; activating with it keeps the id of the connector and gives it a new key. The old key works until the token is used; with --revoke-now it ends at once, and the connector is locked out until then.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'TOKEN=$(<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --revoke-now)',
  ];

  static override flags = {
    'revoke-now': Flags.boolean({
      description: 'end the old key at once: the connector is locked out until the token is used',
    }),
    ...storeFlags,
  };

  static override summary = 'Create an activation token that gives a connector a new key';

  async run(): Promise<ReissueJson> {
    const {args, flags} = await this.parse(StoreReissue);
    requireId(args.id);
    const {token, expiresAt, connector} = await withStoreAdmin(flags, this.io, (admin) =>
      admin.reissue(args.id, flags['revoke-now'] === true),
    );
    this.io.consequence = `The token was created, but lost with the output. Create another with: connectorctl store reissue ${connector.id}`;
    await this.print(`${token}\n`);
    const expires_at = timestamp(expiresAt);
    const keys =
      connector.revoked_at === null
        ? 'The old key works until the token is used.'
        : 'The connector is locked out until the token is used.';
    this.logToStderr(
      `The token gives ${connector.id} (${escapeControl(connector.name)}) a new key, and expires at ${expires_at}. ${keys}`,
    );
    this.logToStderr(
      `On its machine: connectorctl connector activate --force --name ${shownWord(connector.name)} --token-file TOKEN_FILE --credentials-file FILE`,
    );
    return {token, expires_at, connector};
  }
}
