import {Flags} from '@oclif/core';
import {readBaseline, staleEntries, writeBaseline} from '../cli/conformance/baseline.js';
import {conformanceReport, unreachableError} from '../cli/conformance/report.js';
import {runShown} from '../cli/conformance/run.js';
import {selectChecks} from '../cli/conformance/selection.js';
import {openSession} from '../cli/conformance/session.js';
import {renderConformance, renderList} from '../cli/conformance/text.js';
import {durationFlag, integerFlag, textFlag} from '../cli/flags.js';
import {
  checkReports,
  type ReportFile,
  readReportFile,
  reportFormats,
  writeReports,
} from '../cli/report/files.js';
import {ServiceCommand} from '../cli/service-command.js';
import {terminalWidth} from '../cli/terminal/capabilities.js';
import {runInterruptible} from '../cli/terminal/signals.js';
import {writeMessage} from '../cli/terminal/streams.js';
import type {Finding} from '../domain/findings.js';
import {exitCodes} from '../errors.js';
import {escapeControl} from '../render/escape.js';
import {paletteFor} from '../render/palette.js';
import type {Report} from '../render/report/report.js';

const {retries: _, ...withoutRetries} = ServiceCommand.baseFlags;

/** The kind of the exit code for each verdict. */
const exitKinds = {
  pass: 'ok',
  warn: 'ok',
  fail: 'unmet',
  empty: 'unmet',
  error: 'internal',
} as const satisfies Record<Report['verdict'], keyof typeof exitCodes>;

export default class Conformance extends ServiceCommand<unknown> {
  // Every response counts, so nothing is retried.
  static override baseFlags = withoutRetries as typeof ServiceCommand.baseFlags;

  static override description =
    'Tests a service against the connectors interface, check by check, each with a curl line to repeat it. Exits 0 when no check of the level must fails, 9 when one does, 6 when nothing responds. Without --writes-to it reads, and sends activations with a broken body, which no service can carry out; with --writes-to it creates tokens and connectors, which the interface cannot remove.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --base-url https://connectors.example',
    '<%= config.bin %> <%= command.id %> --writes-to connectors.example --patience 20m',
    '<%= config.bin %> <%= command.id %> --only 4.2 --skip 4.2/simultaneous-use --writes-to localhost',
    '<%= config.bin %> <%= command.id %> --baseline known.txt --report junit=conformance.xml',
  ];

  static override flags = {
    baseline: textFlag({
      description:
        'file with the ids of checks that are known to fail; one that passes is a failure',
      helpValue: 'PATH',
    }),
    list: Flags.boolean({description: 'list the checks, and send nothing'}),
    'max-connectors': integerFlag({
      default: 5,
      description: 'maximum number of connectors that the run may create',
      max: 1000,
      min: 1,
    }),
    only: Flags.string({
      description: 'only this check or section, such as 4.2/single-use or 4.2; may be repeated',
      helpValue: 'ID',
      multiple: true,
    }),
    patience: durationFlag({
      description: 'maximum time to wait for a token to expire; without it, that check is skipped',
    }),
    report: Flags.string({
      description: `also write a report to a file (${reportFormats.join(', ')}); may be repeated`,
      helpValue: 'FORMAT=PATH',
      multiple: true,
    }),
    'revoked-api-key-file': textFlag({
      description: 'file that holds a revoked API key, to check that it is refused',
      env: 'CONNECTORCTL_REVOKED_API_KEY_FILE',
      helpValue: 'PATH',
    }),
    'second-api-key-file': textFlag({
      description: 'file that holds an API key of another organization, to check isolation',
      env: 'CONNECTORCTL_SECOND_API_KEY_FILE',
      helpValue: 'PATH',
    }),
    skip: Flags.string({
      description: 'leave out this check or section; may be repeated',
      helpValue: 'ID',
      multiple: true,
    }),
    strict: Flags.boolean({description: 'treat a failed should as a failure, like a must'}),
    'write-baseline': Flags.boolean({
      dependsOn: ['baseline'],
      description: 'add the checks that fail now to the baseline, and remove those that pass',
    }),
    'writes-to': textFlag({
      description: 'create tokens and connectors at this host, which must be that of the base URL',
      helpValue: 'HOST',
    }),
  };

  static override summary = 'Check whether a service speaks the connectors interface';

  async run(): Promise<unknown> {
    const {flags} = await this.parse(Conformance);
    const suite = await import('../conformance/suite.js');
    const selected = selectChecks(suite.checks, flags.only, flags.skip);
    if (flags.list) {
      await this.print(renderList(selected));
      return selected.map(({id, level, title, source, reference, needs = []}) => {
        return {id, level, title, source, reference, needs};
      });
    }
    const files = (flags.report ?? []).map(readReportFile);
    await checkReports(files);
    const settings = await this.settings();
    const baseline =
      flags.baseline === undefined
        ? new Set<string>()
        : await readBaseline(flags.baseline, suite.checks, flags['write-baseline']);
    const client = await this.tracedOptions(settings);
    const service = settings.baseUrl.value;
    const startedAt = new Date();
    const findings: Finding[] = [];
    try {
      await runInterruptible(async (signal) => {
        const {session, notices} = await openSession(suite, client, flags, signal);
        for (const line of notices) writeMessage(escapeControl(line));
        const known = flags['write-baseline'] ? new Set<string>() : baseline;
        const options = {strict: flags.strict, baseline: known, signal};
        for await (const finding of runShown(suite, session, selected, options))
          findings.push(finding);
      });
    } catch (error) {
      const failure = unreachableError(error, service);
      if (failure === undefined) throw error;
      const report = conformanceReport(service, startedAt, findings, failure);
      await writeReports(files, report).catch(() => undefined);
      throw failure;
    }
    const ids = selected.map(({id}) => id as string);
    findings.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    if (flags.baseline !== undefined && !flags['write-baseline'])
      findings.push(...staleEntries(baseline, findings, flags.baseline));
    const report = conformanceReport(service, startedAt, findings);
    return this.#publish(report, files, flags);
  }

  async #publish(
    report: Report,
    files: readonly ReportFile[],
    flags: {baseline?: string | undefined; strict: boolean; 'write-baseline': boolean},
  ): Promise<unknown> {
    await writeReports(files, report);
    const palette = await paletteFor(this.colourLevel('stdout'));
    await this.print(renderConformance(report, palette, terminalWidth()));
    process.exitCode = exitCodes[exitKinds[report.verdict]].code;
    if (flags['write-baseline'] && flags.baseline !== undefined && report.verdict !== 'error') {
      const count = await writeBaseline(flags.baseline, report.findings, flags.strict);
      const failures = count === 1 ? '1 known failure' : `${count} known failures`;
      writeMessage(`Wrote ${failures} to ${flags.baseline}.`);
      if (report.verdict !== 'empty') process.exitCode = exitCodes.ok.code;
    }
    const {reportHead, findingJson} = await import('../render/report/json.js');
    return {...reportHead(report), findings: report.findings.map(findingJson)};
  }
}
