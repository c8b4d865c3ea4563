import {ServiceCommand} from '../../cli/command/service-command.js';
import {checkConnectors, exitCodeOfCheck} from '../../connector/check/run.js';
import {monitorConnectors, monitorFlags, readMonitorCheck} from '../../connector/monitor/start.js';

export default class ConnectorMonitor extends ServiceCommand<undefined> {
  static override description =
    'Checks the connectors again and again, by the rules and the inventory of connector check, and reports when a problem begins and when it ends. Without the --state of an earlier run, the problems of the first check are no events: one line on stderr sums them up.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --state monitor.json --exec ./notify.sh',
    '<%= config.bin %> <%= command.id %> --expect fleet.csv --for 10m --state monitor.json --exec ./notify.sh',
    '<%= config.bin %> <%= command.id %> --once --state monitor.json --exec ./notify.sh',
    '<%= config.bin %> <%= command.id %> --json >> events.ndjson',
  ];

  static override flags = monitorFlags;

  static override summary = 'Report once when a connector stops, and once when it returns';

  // An event reports the expiry of the API key.
  protected override isExpiryTold = true;

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorMonitor);
    const check = await readMonitorCheck(flags);
    const {client, settings} = await this.client({hidesProgress: true});
    const service = settings.baseUrl.value;
    const watched = {...check, service, facts: () => this.facts, now: this.now};
    const checkOnce = (signal: AbortSignal) => checkConnectors(client, watched, signal);
    const report = await monitorConnectors(flags, service, checkOnce, this.io);
    if (report !== undefined) this.io.exitCode = exitCodeOfCheck(report, 'text', check);
    return undefined;
  }
}
