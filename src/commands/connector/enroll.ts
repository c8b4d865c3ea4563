import {Args, Flags} from '@oclif/core';
import {ReportCommand} from '../../cli/command/report-command.js';
import {enroll} from '../../connector/enroll/enroll.js';
import {readMachineList} from '../../connector/enroll/machine-list.js';
import {exitCodes} from '../../errors.js';
import {integerFlag, letters, textFlag} from '../../flags.js';

export default class ConnectorEnroll extends ReportCommand {
  static override args = {
    list: Args.string({
      description: 'CSV with a column name, and optionally file; - is stdin',
      required: true,
    }),
  };

  static override description =
    'Activates a connector for each machine of a CSV file, with the API key of the organization, and writes a credentials file for each. A repeated run does only the rest. Exits 0 when every machine is activated, 9 when one is not, and 6 when the service was lost. For one machine with a token, see connector activate.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> machines.csv --credentials-dir out --dry-run',
    '<%= config.bin %> <%= command.id %> machines.csv --credentials-dir out -o csv > results.csv',
  ];

  static override flags = {
    'credentials-dir': textFlag({
      description: 'directory for the credentials files; created if it does not exist',
      helpValue: 'PATH',
      required: true,
    }),
    'dry-run': Flags.boolean({
      description:
        'check the list, the directory, the service and the API key, and activate nothing',
    }),
    output: Flags.option({
      char: letters.output,
      description: 'format: table, ndjson or csv; csv can be the list of another run',
      helpValue: 'FORMAT',
      options: ['table', 'ndjson', 'csv'] as const,
    })(),
    parallel: integerFlag({
      description: 'machines to activate in parallel (default 4)',
      max: 64,
      min: 1,
    }),
  };

  static override summary = 'Activate a connector for each machine of a list';

  async run(): Promise<undefined> {
    const {args, flags} = await this.parse(ConnectorEnroll);
    const {'credentials-dir': directory, 'dry-run': isPreview, parallel = 4} = flags;
    const machines = await readMachineList(args.list, this.io);
    const {client, settings} = await this.client({hidesProgress: true, sendsToken: true});
    const access = () => this.facts?.key?.access;
    const {io} = this;
    const baseUrl = settings.baseUrl.value;
    const request = {machines, directory, baseUrl, client, access, io, isPreview, parallel};
    const format = {
      format: io.json ? 'json' : (flags.output ?? 'table'),
      width: io.stdout.width,
    } as const;
    await io.interruptible(async (signal) => {
      const run = await enroll(request, format, signal);
      await this.conclude(run, exitCodes[run.isComplete ? 'ok' : 'unmet'].code);
      for (const line of run.notes) this.logToStderr(line);
      if (run.error !== undefined) throw run.error;
    });
  }
}
