import {Args} from '@oclif/core';
import {refuseSecretAsId} from '../../cli/errors/misplaced-secret.js';
import {durationFlag, outputFlags, textFlag} from '../../cli/flags.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {waitForStatus} from '../../cli/watch/wait-for-status.js';
import type {JsonObject} from '../../client/types.js';

/** Milliseconds that --wait waits unless told otherwise. */
const defaultWait = 60_000;

export default class ConnectorGet extends ServiceCommand<JsonObject> {
  static override args = {
    id: Args.string({description: "the connector's id", required: true}),
  };

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --json | jq -r .status',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --wait online --wait-timeout 5m',
  ];

  static override flags = {
    ...outputFlags,
    wait: textFlag({description: 'wait until it has this status', helpValue: 'STATUS'}),
    'wait-timeout': durationFlag({
      dependsOn: ['wait'],
      description: 'how long to wait (default 60s); exits 6 after that',
    }),
  };

  static override summary = 'Read one connector';

  async run(): Promise<JsonObject> {
    const parsed = await this.parse(ConnectorGet);
    const {output, wait, 'wait-timeout': limit = defaultWait} = parsed.flags;
    const {id} = parsed.args;
    refuseSecretAsId(id);
    const client = await this.client(parsed, undefined, {hidesProgress: wait !== undefined});
    const connector =
      wait === undefined
        ? await client.getConnector(id)
        : await waitForStatus(client, id, {status: wait, limit});
    await this.print(await (await this.renderer(output)).one(connector));
    return connector.raw;
  }
}
