import {storeLocation, withStoreAdmin} from '../../admin/admin.js';
import {type ApiKeyJson, apiKeyJson} from '../../admin/json.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {storeFlags} from '../../flags.js';
import {terminalWidth} from '../../terminal/capabilities.js';
import {keyCreateCommand} from '../../terminal/notices.js';
import {type Column, renderTable} from '../../terminal/table/table.js';

export default class KeyList extends BaseCommand<ApiKeyJson[]> {
  static override description =
    "Shows public ids; no command can show a key or its hash again. The time of last use is accurate to the minute. A connector's own key is listed once it is revoked, with the id and name of the connector.";

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override flags = storeFlags;

  static override hiddenAliases = ['key:ls'];

  static override summary = 'List API keys';

  async run(): Promise<ApiKeyJson[]> {
    const {flags} = await this.parse(KeyList);
    const location = storeLocation(flags);
    const records = await withStoreAdmin(location, (keyring) => keyring.list());
    const keys = records.map(apiKeyJson);
    if (keys.length === 0)
      this.logToStderr(`No keys yet. Create one with: ${keyCreateCommand(flags.store)}`);
    else await this.print(await renderTable(keys, columns, terminalWidth()));
    return keys;
  }
}

const columns: readonly Column<ApiKeyJson>[] = [
  {title: 'ID', value: ({id}) => id},
  {title: 'ORGANIZATION', value: ({organization}) => organization},
  {title: 'ACCESS', value: ({access}) => access},
  {title: 'DESCRIPTION', value: ({description}) => description},
  {title: 'CREATED', value: (key) => key.created_at},
  {title: 'LAST USED', value: (key) => key.last_used_at ?? 'never'},
  {title: 'EXPIRES', value: (key) => key.expires_at},
  {title: 'REVOKED', value: (key) => key.revoked_at},
  {title: 'REASON', value: (key) => key.revocation_reason},
];
