import {storeFlags, typedStore, withStoreAdmin} from '../../admin/admin.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import type {ApiKeyInfo} from '../../server/admin/admin.js';
import {keyCreateCommand} from '../../terminal/notices.js';
import {renderGrid} from '../../terminal/table/grid.js';

export default class KeyList extends BaseCommand<readonly ApiKeyInfo[]> {
  static override description =
    "Shows public ids and the time of last use, to the minute; no command can show a key or its hash again. A connector's own key is listed once it is revoked, with the id and name of the connector.";

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override flags = storeFlags;

  static override summary = 'List API keys';

  async run(): Promise<readonly ApiKeyInfo[]> {
    const {flags} = await this.parse(KeyList);
    const keys = await withStoreAdmin(flags, this.io, (keyring) => keyring.list());
    if (keys.length === 0) {
      const command = keyCreateCommand(await typedStore(flags.store));
      this.logToStderr(`No keys yet. Create one with: ${command}`);
    } else await this.print(await renderGrid(head, keys.map(row)));
    return keys;
  }
}

const columns = [
  ['ID', 'id'],
  ['ORGANIZATION', 'organization'],
  ['ACCESS', 'access'],
  ['DESCRIPTION', 'description'],
  ['CREATED', 'created_at'],
  ['LAST USED', 'last_used_at'],
  ['EXPIRES', 'expires_at'],
  ['REVOKED', 'revoked_at'],
  ['REASON', 'revocation_reason'],
] as const satisfies readonly (readonly [string, keyof ApiKeyInfo])[];
const head = columns.map(([title]) => title);

function row(key: ApiKeyInfo): string[] {
  return columns.map(([, field]) => key[field] ?? (field === 'last_used_at' ? 'never' : ''));
}
