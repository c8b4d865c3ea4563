import {Args, Flags} from '@oclif/core';
import {ReportCommand} from '../../cli/command/report-command.js';
import {readMachineList} from '../../connector/enroll/machine-list.js';
import {activationsTable, concludedRun} from '../../connector/enroll/results.js';
import {enrollMachines} from '../../connector/enroll/run.js';
import {exitCodes} from '../../errors.js';
import {integerFlag} from '../../flags.js';
import {reportText} from '../../report/files.js';

export default class ConnectorEnroll extends ReportCommand {
  static override args = {
    list: Args.string({
      description: 'CSV with a column name, and optionally file; - is stdin',
      required: true,
    }),
  };

  static override description =
    'Activates a connector for each machine of a CSV file, with the API key of the organization, and writes a credentials file for each. Exits 9 when a machine is not activated: run it again, and it does only the rest.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> machines.csv --credentials-dir out --dry-run',
    '<%= config.bin %> <%= command.id %> machines.csv --credentials-dir out --json > results.json',
  ];

  static override flags = {
    'credentials-dir': Flags.string({
      description: 'directory for the credentials files; created if it does not exist',
      helpValue: 'PATH',
      required: true,
    }),
    'dry-run': Flags.boolean({
      description:
        'check the list, the directory, the service and the API key, and activate nothing',
    }),
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
    const machines = await readMachineList(args.list);
    const {client, settings} = await this.client({hidesProgress: true, sendsToken: true});
    const access = () => this.facts?.key?.access;
    const {io} = this;
    const baseUrl = settings.baseUrl.value;
    const request = {machines, directory, baseUrl, client, access, io, isPreview, parallel};
    const startedAt = new Date();
    await io.interruptible(async (signal) => {
      const outcome = await enrollMachines({...request, signal});
      const isInterrupted = signal.aborted;
      const about = {service: baseUrl, directory, startedAt, isPreview, isInterrupted};
      const run = concludedRun(outcome, about);
      await this.conclude(run, exitCodes[run.isComplete ? 'ok' : 'unmet'].code);
      await io.result(
        io.json
          ? await reportText('json', run.report)
          : await activationsTable(outcome, io.stdout.width),
      );
      for (const line of run.notes) this.logToStderr(line);
      if (run.error !== undefined) throw run.error;
    });
  }
}
