import {Args, Flags} from '@oclif/core';
import {durationFlag, integerFlag} from '../../cli/flags.js';
import {runHeartbeatProcess} from '../../cli/heartbeat/process.js';
import {heartbeatTarget} from '../../cli/heartbeat/target.js';
import {ServiceCommand} from '../../cli/service-command.js';
import type {JsonObject} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {renderHeartbeat} from '../../render/details.js';
import {paletteFor} from '../../render/palette.js';

export default class ConnectorHeartbeat extends ServiceCommand<JsonObject | undefined> {
  static override args = {
    id: Args.string({description: 'id of the connector; optional with --credentials-file'}),
  };

  static override description =
    'Sends one heartbeat. With --every or --count it keeps running: it follows the interval the service asks for, backs off while the service is unavailable, honours Retry-After (both up to one hour), exits with the matching code on a permanent error, and exits 0 on SIGINT or SIGTERM. It logs the start and end of failures to stderr, with summaries in between.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json --every 60s',
  ];

  static override flags = {
    count: integerFlag({
      description: 'number of heartbeats to send, including failed ones',
      env: 'CONNECTORCTL_COUNT',
      min: 1,
    }),
    'credentials-file': Flags.string({
      description: 'credentials file written by activate; names the connector, service and key',
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    every: durationFlag({
      description: 'interval between heartbeats; overrides the interval the service asks for',
      env: 'CONNECTORCTL_EVERY',
      min: limits.heartbeatInterval.min * 1000,
    }),
  };

  static override summary = 'Send heartbeats of a connector';

  async run(): Promise<JsonObject | undefined> {
    const {args, flags} = await this.parse(ConnectorHeartbeat);
    const {every, count, 'credentials-file': file} = flags;
    const {id, service} = await heartbeatTarget(args.id, file);
    if (every === undefined && count === undefined) {
      const {client} = await this.client({}, service);
      const reading = await client.sendHeartbeat(id);
      const palette = await paletteFor(this.colourLevel('stdout'));
      await this.print(await renderHeartbeat(id, reading, {now: Date.now(), palette}));
      return reading.raw;
    }
    // The loop retries by itself, at the interval.
    const {client, settings} = await this.client({retries: 0}, service);
    await runHeartbeatProcess(client, id, {
      every,
      count,
      timeout: settings.timeout.value,
      json: this.jsonEnabled(),
      write: (line) => this.offer(line),
    });
    return undefined;
  }
}
