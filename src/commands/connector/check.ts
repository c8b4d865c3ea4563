import {appendFile} from 'node:fs/promises';
import {Flags} from '@oclif/core';
import {readInventory} from '../../cli/connectors/check/inventory-file.js';
import {readRules} from '../../cli/connectors/check/rules.js';
import {checkFleet, errorReport, isMet} from '../../cli/connectors/check/run.js';
import {durationFlag, letters, namesFlag, textFlag} from '../../cli/flags.js';
import {
  checkReports,
  type ReportFile,
  readReportFile,
  reportFormats,
  reportRenderer,
  writeReports,
} from '../../cli/report/files.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {runInterruptible} from '../../cli/terminal/signals.js';
import {writeMessage} from '../../cli/terminal/streams.js';
import {AppError, exitCodes} from '../../errors.js';
import {sandboxNotice} from '../../render/notices.js';
import {paletteFor} from '../../render/palette.js';
import type {Report} from '../../render/report/report.js';
import {renderTextReport} from '../../render/report/text.js';

const formats = ['text', 'json', 'junit', 'nagios', 'github', 'prometheus'] as const;
type Format = (typeof formats)[number];

const boundFlag = (description: string) =>
  textFlag({description, helpGroup: 'RULE', helpValue: 'N|P%'});

export default class ConnectorCheck extends ServiceCommand<undefined> {
  static override description =
    'Checks the connectors of the organization against rules, and against an inventory of what should exist. Exits 0 when everything holds and 9 when it does not; a check that could not be carried out exits with its own code. Without a rule, no connector may be offline and at least one must exist. A percentage is of the expected connectors, or without --expect of those that match.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --min-online 95%',
    '<%= config.bin %> <%= command.id %> --expect fleet.csv --report junit=report.xml',
    '<%= config.bin %> <%= command.id %> --max-offline 5% --warn max-offline=1% -o nagios',
    '<%= config.bin %> <%= command.id %> --min-online 100% --wait-timeout 5m',
    '<%= config.bin %> connector list -o csv > fleet.csv && <%= config.bin %> <%= command.id %> --expect fleet.csv',
  ];

  static override flags = {
    'allow-unexpected': Flags.boolean({
      dependsOn: ['expect'],
      description: 'accept connectors that the inventory does not name',
    }),
    expect: textFlag({
      description:
        'inventory of the connectors that should exist: CSV, YAML, JSON or lines, with name or id, and optionally state (online, present, absent); - is stdin',
      helpValue: 'PATH',
    }),
    'fail-on-warning': Flags.boolean({description: 'exit 9 on a warning too'}),
    'max-age': textFlag({
      description: 'maximum age of the last heartbeat, by the clock of the service',
      helpGroup: 'RULE',
      helpValue: 'DURATION',
    }),
    'max-never': boundFlag('at most this many that never sent a heartbeat'),
    'max-offline': boundFlag('at most this many offline'),
    'max-stale': boundFlag('at most this many stale'),
    'min-online': boundFlag('at least this many online'),
    'min-total': textFlag({
      description: 'at least this many that match (default 1)',
      helpGroup: 'RULE',
      helpValue: 'N',
    }),
    name: namesFlag(),
    output: Flags.option({
      char: letters.output,
      description: `format: ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}; --json overrides it`,
      helpValue: 'FORMAT',
      options: formats,
    })(),
    report: Flags.string({
      description: `also write a report to a file (${reportFormats.join(', ')}); may be repeated`,
      helpValue: 'FORMAT=PATH',
      multiple: true,
    }),
    'wait-timeout': durationFlag({
      description: 'repeat the check every 2 seconds until everything holds, for this long at most',
    }),
    warn: Flags.string({
      description: 'bound that warns instead of failing, such as max-offline=1%; may be repeated',
      helpGroup: 'RULE',
      helpValue: 'RULE=VALUE',
      multiple: true,
    }),
  };

  static override summary = 'Check connectors against rules and an inventory';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorCheck);
    const rules = readRules(flags);
    const files = (flags.report ?? []).map(readReportFile);
    const expected = flags.expect === undefined ? undefined : await readInventory(flags.expect);
    await checkReports(files);
    const {client, settings} = await this.client();
    const service = settings.baseUrl.value;
    const check = {
      service,
      rules,
      expected,
      allowUnexpected: flags['allow-unexpected'],
      name: flags.name,
      failOnWarning: flags['fail-on-warning'],
      waitTimeout: flags['wait-timeout'] ?? 0,
    };
    const format: Format = this.jsonEnabled() ? 'json' : (flags.output ?? 'text');
    const startedAt = new Date();
    try {
      const report = await runInterruptible((signal) => checkFleet(client, check, signal));
      await writeReports(files, report);
      const code = await this.#exitCode(report, format, check.failOnWarning);
      // Set before the output: a closed pipe ends the process there.
      if (code !== exitCodes.ok.code) process.exitCode = code;
      await this.#publish(report, format);
    } catch (error) {
      if (error instanceof AppError)
        await this.#publishError(service, startedAt, error, format, files);
      throw error;
    } finally {
      // Last: Icinga takes the first line of either stream for the state.
      if (this.isSandbox) writeMessage(sandboxNotice);
    }
    return undefined;
  }

  async #publish(report: Report, format: Format): Promise<void> {
    const chunks =
      format === 'text'
        ? renderTextReport(report, await paletteFor(this.colourLevel('stdout')))
        : (await reportRenderer(format))(report);
    for (const chunk of chunks) await this.write(chunk);
    const summary = process.env['GITHUB_STEP_SUMMARY'];
    if (format !== 'github' || !summary) return;
    const markdown = await reportRenderer('markdown');
    await appendFile(summary, [...markdown(report)].join(''));
  }

  async #exitCode(report: Report, format: Format, failOnWarning: boolean): Promise<number> {
    if (format === 'nagios') {
      const {nagiosExitCodes, nagiosState} = await import('../../render/report/nagios.js');
      return nagiosExitCodes[nagiosState(report.verdict)];
    }
    return exitCodes[isMet(report, failOnWarning) ? 'ok' : 'unmet'].code;
  }

  /** A check that failed to run is an error in every report too; text and JSON have their own errors. */
  async #publishError(
    service: string,
    startedAt: Date,
    error: AppError,
    format: Format,
    files: readonly ReportFile[],
  ): Promise<void> {
    const report = errorReport(service, startedAt, error);
    await writeReports(files, report).catch(() => undefined);
    if (format === 'text' || format === 'json' || format === 'nagios') return;
    process.exitCode = error.exitCode;
    for (const chunk of (await reportRenderer(format))(report)) await this.write(chunk);
  }
}
