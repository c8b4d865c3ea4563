import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/service-command.js';
import type {JsonObject} from '../../client/types.js';

export default class ConnectorGet extends ServiceCommand<JsonObject> {
  static override args = {
    id: Args.string({description: "the connector's id", required: true}),
  };

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --json | jq -r .status',
  ];

  static override summary = 'Read one connector';

  async run(): Promise<JsonObject> {
    const parsed = await this.parse(ConnectorGet);
    const client = await this.client(parsed);
    const connector = await client.getConnector(parsed.args.id);
    return connector.raw;
  }
}
