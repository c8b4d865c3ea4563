import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {namesOfService, withId} from '../../cli/connectors/id-words.js';
import {forEachId} from '../../cli/connectors/ids.js';
import {type HeartbeatResult, heartbeatResult} from '../../cli/heartbeat/each.js';
import {credentialsFileFlag} from '../../cli/heartbeat/flags.js';
import {heartbeatTarget, severalIds} from '../../cli/heartbeat/target.js';
import type {JsonObject} from '../../domain/json.js';
import {renderHeartbeat} from '../../render/details.js';
import {renderHeartbeatLine} from '../../render/heartbeat-line.js';
import {paletteFor} from '../../render/palette.js';

export default class ConnectorHeartbeat extends ServiceCommand<
  JsonObject | readonly HeartbeatResult[]
> {
  static override args = {
    id: Args.string({
      description:
        'id of the connector; several ids get one heartbeat each, - reads them from stdin; optional with --credentials-file',
      multiple: true,
    }),
  };

  static override description =
    'Sends one heartbeat. Several ids get one heartbeat each, with the key of the organization; under --json the result is an array with the id and the response or the error of each, and the exit code is that of the first error. To keep a connector online, use connector run.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV con_01BX5ZZKBKACTAV9WEVGEMMVRZ',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json',
  ];

  static override flags = {'credentials-file': credentialsFileFlag};

  static override summary = 'Send one heartbeat for a connector, or for several';

  async run(): Promise<JsonObject | readonly HeartbeatResult[]> {
    const {args, flags} = await this.parse(ConnectorHeartbeat);
    const file = flags['credentials-file'];
    const ids = await severalIds(args.id ?? [], file);
    return ids === undefined ? this.#sendOne(args.id?.[0], file) : this.#sendToEach(ids);
  }

  async #sendOne(word: string | undefined, file: string | undefined): Promise<JsonObject> {
    const {id, service} = await heartbeatTarget(word, file);
    const {client} = await this.client({}, service);
    const find = namesOfService(client);
    const reading = await withId(id, find, (known) => client.sendHeartbeat(known));
    const palette = await paletteFor(this.colorLevel('stdout'));
    await this.print(await renderHeartbeat(id, reading, {now: this.now, palette}));
    return reading.raw;
  }

  async #sendToEach(ids: readonly string[]): Promise<readonly HeartbeatResult[]> {
    const {client} = await this.client();
    const results: HeartbeatResult[] = [];
    const find = namesOfService(client);
    const beat = (one: string) => withId(one, find, (id) => client.sendHeartbeat(id));
    for await (const outcome of this.reported(forEachId(ids, beat))) {
      if ('value' in outcome) await this.print(renderHeartbeatLine(outcome.id, outcome.value));
      results.push(heartbeatResult(outcome));
    }
    return results;
  }
}
