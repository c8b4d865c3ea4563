import {exitCodeOf, ReportCommand} from '../cli/command/report-command.js';
import {conformanceFlags, examineService, selectChecks} from '../conformance/command/run.js';
import {listJson, renderConformance, renderList} from '../conformance/command/text.js';
import {controlTokenFlags, virtualTime} from '../sandbox/client.js';
import {systemClock} from '../system/clock.js';

const {retries: _, ...withoutRetries} = ReportCommand.baseFlags;

export default class Conformance extends ReportCommand {
  // Every response counts, so nothing is retried.
  static override baseFlags = withoutRetries as typeof ReportCommand.baseFlags;

  static override description =
    'Tests a service against the connectors interface, check by check, and exits 9 when a check of the level "must" fails. With --writes-to it also creates tokens and connectors, which the interface cannot remove.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --base-url https://connectors.example',
    '<%= config.bin %> <%= command.id %> --strict --writes-to connectors.example --second-api-key-file other.key --patience 20m',
    '<%= config.bin %> <%= command.id %> --only 4.2 --skip 4.2/simultaneous-use --writes-to localhost',
    '<%= config.bin %> <%= command.id %> --report junit=conformance.xml',
  ];

  static override flags = {...conformanceFlags, ...controlTokenFlags};

  static override summary = 'Check whether a service speaks the connectors interface';

  async run(): Promise<unknown> {
    const {flags} = await this.parse(Conformance);
    const {checks, reach, runChecks, Session} = await import('../conformance/suite.js');
    const suite = {reach, runChecks, Session};
    const selected = selectChecks(checks, flags);
    if (flags.list) {
      await this.print(renderList(selected));
      return listJson(selected);
    }
    const {io} = this;
    const [client, adopt] = await this.prepare(async () =>
      Promise.all([this.tracedOptions(await this.settings()), virtualTime(flags, io)]),
    );
    const run = await io.interruptible((signal) =>
      examineService(client, {suite, selected, flags}, {signal, clock: systemClock, io, adopt}),
    );
    const palette = await io.stdout.palette();
    const {report, error} = run;
    await this.publish(run, exitCodeOf(report), () =>
      error === undefined ? renderConformance(report, palette, flags['open-points']) : '',
    );
    return undefined;
  }
}
