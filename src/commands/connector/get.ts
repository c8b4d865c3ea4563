import {Args, Flags} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {renderConnector} from '../../connector/fields/details.js';
import {requireId, withIdOrName} from '../../connector/id-words.js';
import {onlineWithinFlag, withOnlineWithin} from '../../connector/online-within.js';
import {waitForStatus} from '../../connector/wait-for-status.js';
import type {JsonObject} from '../../domain/json.js';
import {durationFlag, formatFlag} from '../../flags.js';
import {shownWord} from '../../terminal/notices.js';

export default class ConnectorGet extends ServiceCommand<JsonObject> {
  static override args = {
    id: Args.string({
      description: 'id of the connector; also its name, if no other has it',
      required: true,
    }),
  };

  static override description = 'Shows a connector. With --wait it exits 6 when the time is up.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --json | jq -r .status',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --wait online --wait-timeout 5m',
  ];

  static override flags = {
    'online-within': onlineWithinFlag(['wait']),
    output: formatFlag(['details', 'json', 'yaml'] as const),
    wait: Flags.string({
      description: 'wait until the connector has this status',
      helpValue: 'STATUS',
    }),
    'wait-timeout': durationFlag({
      dependsOn: ['wait'],
      description: 'maximum time to wait, then exit with 6 (default 60s)',
    }),
  };

  static override summary = 'Show one connector';

  async run(): Promise<JsonObject> {
    const {args, flags} = await this.parse(ConnectorGet);
    const {output, wait: status, 'wait-timeout': limit} = flags;
    requireId(args.id);
    const {client: plain} = await this.client({hidesProgress: status !== undefined});
    const client = withOnlineWithin(plain, flags['online-within'], this.now);
    const {raw: connector} = await withIdOrName(
      args.id,
      client,
      (id) =>
        status === undefined
          ? client.getConnector(id)
          : waitForStatus(client, id, {status, limit}, this.io),
      (id) => this.io.note(`${shownWord(args.id)} is the name of ${shownWord(id)}.`),
    );
    if (flags['online-within'] !== undefined) this.noteLocalClock();
    const options = {now: this.now, palette: await this.io.stdout.palette()};
    await this.print(
      output === 'yaml'
        ? (await import('../../terminal/formats/yaml.js')).yamlText(connector)
        : renderConnector(connector, options),
    );
    return connector;
  }
}
