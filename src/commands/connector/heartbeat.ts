import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {errorJson} from '../../cli/errors/view.js';
import type {HeartbeatReading} from '../../client/types.js';
import {heartbeatTarget} from '../../connector/credentials/target.js';
import {namesOfService, withId} from '../../connector/id-words.js';
import {forEachId, type IdResult, readIds, reported, singleId} from '../../connector/ids.js';
import {credentialsFileFlag} from '../../connector/run/flags.js';
import {renderHeartbeatLine} from '../../connector/run/view.js';
import type {JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import type {ErrorJson} from '../../report/output.js';
import {blankNotice} from '../../terminal/notices.js';

/** The heartbeat of one of several connectors, as JSON. */
type HeartbeatResult =
  | {readonly id: string; readonly response: JsonObject}
  | ({readonly id: string} & ErrorJson)
  | {readonly id: string; readonly skipped: true};

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
    const words = args.id ?? [];
    if (words.length === 0 || singleId(words) !== undefined) return this.#sendOne(words[0], file);
    if (file === undefined) return this.#sendToEach(await readIds(words, this.io));
    const message = '--credentials-file works with one connector, not with several ids.';
    throw new AppError('usage', message, {
      hint: 'Omit it: several heartbeats need the key of the organization. A credentials file has the key of one connector.',
    });
  }

  async #sendOne(word: string | undefined, file: string | undefined): Promise<JsonObject> {
    const {id, service} = await heartbeatTarget(word, file, this.io);
    const client = await this.connect(await this.settings(service));
    const find = namesOfService(client, {});
    const reading = await withId(id, find, (known) => client.sendHeartbeat(known));
    this.#warn(reading);
    await this.print(`${renderHeartbeatLine(id, reading)}\n`);
    return reading.raw;
  }

  async #sendToEach(ids: readonly string[]): Promise<readonly HeartbeatResult[]> {
    const {client} = await this.client();
    const results: HeartbeatResult[] = [];
    const find = namesOfService(client, {});
    const beat = (one: string) => withId(one, find, (id) => client.sendHeartbeat(id));
    for await (const outcome of reported(forEachId(ids, beat), this.io)) {
      if ('value' in outcome) {
        if (results.length === 0) this.#warn(outcome.value);
        await this.print(`${renderHeartbeatLine(outcome.id, outcome.value)}\n`);
      }
      results.push(heartbeatResult(outcome));
    }
    return results;
  }

  #warn({blank}: HeartbeatReading): void {
    if (blank) this.io.note(`Warning: ${blankNotice(blank)}`);
  }
}

function heartbeatResult(outcome: IdResult<HeartbeatReading>): HeartbeatResult {
  const {id} = outcome;
  if ('value' in outcome) return {id, response: outcome.value.raw};
  return outcome.error === undefined ? {id, skipped: true} : {id, ...errorJson(outcome.error)};
}
