import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {heartbeatTarget} from '../../connector/credentials/target.js';
import {credentialsFileFlag} from '../../connector/run/flags.js';
import {renderHeartbeatLine} from '../../connector/run/view.js';
import type {JsonObject} from '../../domain/json.js';
import {blankNotice} from '../../terminal/notices.js';

export default class ConnectorHeartbeat extends ServiceCommand<JsonObject> {
  static override args = {
    id: Args.string({description: 'id of the connector; optional with --credentials-file'}),
  };

  static override description =
    'Sends one heartbeat. To keep a connector online, use connector run.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json',
  ];

  static override flags = {'credentials-file': credentialsFileFlag()};

  static override summary = 'Send one heartbeat for a connector';

  async run(): Promise<JsonObject> {
    const {args, flags} = await this.parse(ConnectorHeartbeat);
    const {id, service} = await heartbeatTarget(args.id, flags['credentials-file'], this.io);
    const client = await this.connect(await this.settings(service));
    const reading = await client.sendHeartbeat(id);
    if (reading.blank) this.io.note(`Warning: ${blankNotice(reading.blank)}`);
    await this.print(`${renderHeartbeatLine(id, reading)}\n`);
    return reading.raw;
  }
}
