import {storeFlags, withStoreAdmin} from '../../admin/admin.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {timestamp} from '../../domain/timestamp.js';
import {counted} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import type {UnknownInfo} from '../../server/admin/admin.js';
import {renderGrid} from '../../terminal/table/grid.js';

/** A refused connector as `--json` shows it; times in ISO 8601 UTC. */
type UnknownJson = ReturnType<typeof unknownJson>;

export default class StoreUnknown extends BaseCommand<UnknownJson[]> {
  static override description =
    'Asks the running service for the connectors of the last hour, up to 1,000, whose heartbeats it refused because they were removed, or activated after the backup that was restored. It knows the name only of one that is in the store with another key.';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override flags = storeFlags;

  static override summary =
    'List connectors that the service refuses because it does not know them';

  async run(): Promise<UnknownJson[]> {
    const {flags} = await this.parse(StoreUnknown);
    const found = await withStoreAdmin(flags, this.io, (admin) => admin.unknown());
    if (found === null) {
      throw new AppError('unavailable', 'No running service was found for this store.', {
        hint: 'Start connectorctl serve, and try again after a heartbeat interval. With PostgreSQL, search the logs of its services for refused_id, which names each connector.',
      });
    }
    const unknown = found.map(unknownJson);
    if (unknown.length > 0) {
      const rows = unknown.map((one) => Object.values(one).map((value) => value ?? ''));
      await this.print(await renderGrid(head, rows));
    }
    this.logToStderr(
      unknown.length === 0
        ? 'The service has refused no connector within the last hour.'
        : `${counted(unknown.length, 'connector')}, removed or lost in a restore. Stop the machines of the removed ones, and enroll the others again; one with a name gets a new key with: connectorctl store reissue ID`,
    );
    return unknown;
  }
}

const head = ['ID', 'NAME', 'FIRST', 'LAST', 'ADDRESS'];

/** The fields in the order of `head`. */
function unknownJson({id, name, firstAt, lastAt, address}: UnknownInfo) {
  return {id, name, first_at: timestamp(firstAt), last_at: timestamp(lastAt), address};
}
