import {ReportCommand, reportFlag} from '../../cli/command/report-command.js';
import {
  checkConnectors,
  checkFlags,
  exitCodeOfCheck,
  readCheck,
} from '../../connector/check/run.js';
import {formatFlag} from '../../flags.js';
import {checkFormats, reportText} from '../../report/files.js';
import {noteSandbox} from '../../service/notices.js';

export default class ConnectorCheck extends ReportCommand {
  static override baseFlags = {...ReportCommand.baseFlags, report: reportFlag(checkFormats)};

  static override description =
    'Checks the connectors of the organization against rules, and against an inventory of what should exist; exits 0 when everything holds and 9 when it does not. Without a rule, no connector may be offline and at least one must be online.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --min-online 95%',
    '<%= config.bin %> <%= command.id %> --expect fleet.csv --report junit=report.xml',
    '<%= config.bin %> <%= command.id %> --min-online 1 --max-offline 5% -o nagios',
    '<%= config.bin %> <%= command.id %> --report prometheus=/var/lib/prometheus/node-exporter/connectorctl.prom',
    '<%= config.bin %> <%= command.id %> --min-online 100% --wait-timeout 5m',
    '<%= config.bin %> connector list -o csv > fleet.csv && <%= config.bin %> <%= command.id %> --expect fleet.csv',
  ];

  static override flags = {...checkFlags, output: formatFlag(checkFormats)};

  static override summary = 'Check connectors against rules and an inventory';

  // A finding of the report warns of the expiry of the API key.
  protected override isExpiryTold = true;

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorCheck);
    const wanted = await this.prepare(() => readCheck(flags));
    const {client, settings} = await this.prepare(() => this.client());
    const service = {service: settings.baseUrl.value, facts: () => this.facts, now: this.now};
    const check = {...wanted, ...service};
    const format = flags.output ?? 'text';
    const palette = await this.io.stdout.palette();
    try {
      const run = await this.io.interruptible((signal) => checkConnectors(client, check, signal));
      const {report, error} = run;
      const exitCode = exitCodeOfCheck(report, this.io.json ? 'json' : format, check);
      // These formats report the error of an incomplete check separately.
      const isHidden = error !== undefined && (format === 'text' || format === 'nagios');
      const show = () => (isHidden ? '' : reportText(format, report, palette));
      await this.publish(run, exitCode, show);
    } finally {
      // Last: Icinga shows the first line of either stream as the result.
      noteSandbox(this.facts, this.io);
    }
    return undefined;
  }
}
