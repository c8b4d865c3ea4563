import {Args} from '@oclif/core';
import {durationFlag, outputFlags, textFlag} from '../../cli/flags.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {readConnector} from '../../cli/watch/wait-for-status.js';
import type {JsonObject} from '../../client/types.js';

export default class ConnectorGet extends ServiceCommand<JsonObject> {
  static override args = {
    id: Args.string({description: 'id of the connector', required: true}),
  };

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --json | jq -r .status',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --wait online --wait-timeout 5m',
  ];

  static override flags = {
    ...outputFlags,
    wait: textFlag({description: 'wait until the connector has this status', helpValue: 'STATUS'}),
    'wait-timeout': durationFlag({
      dependsOn: ['wait'],
      description: 'how long to wait before exiting with 6 (default 60s)',
    }),
  };

  static override summary = 'Show one connector';

  async run(): Promise<JsonObject> {
    const {args, flags} = await this.parse(ConnectorGet);
    const {output, wait: status, 'wait-timeout': limit} = flags;
    const {client} = await this.client({hidesProgress: status !== undefined});
    const connector = await readConnector(client, args.id, {status, limit});
    const renderer = await this.renderer(output);
    await this.print(await renderer.one(connector));
    return connector.raw;
  }
}
