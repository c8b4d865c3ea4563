import {Flags} from '@oclif/core';
import {ReportCommand} from '../cli/command/report-command.js';
import {examinedTarget, tryKey} from '../cli/doctor/api-key.js';
import {examineService} from '../cli/doctor/examine.js';
import {doctorReport, exitCodeOfSteps} from '../cli/doctor/report.js';
import {shownSettings} from '../cli/doctor/settings.js';
import {examineToken, tokenFileFlag} from '../cli/doctor/token.js';
import {renderSettings} from '../render/fields.js';
import {paletteFor} from '../render/palette.js';

export default class Doctor extends ReportCommand {
  static override description =
    'Shows each setting and its source, then tests the connection step by step: proxy, DNS, TCP, TLS, HTTP, clock, API key. Exits 0 when every step succeeds, otherwise with the code of the first failure. Changes nothing.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --timeout 3s',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json',
    '<%= config.bin %> <%= command.id %> --token-file token',
    '<%= config.bin %> <%= command.id %> --report markdown=report.md',
    '<%= config.bin %> <%= command.id %> --json | jq \'.findings[] | select(.status == "fail")\'',
  ];

  static override flags = {
    'credentials-file': Flags.string({
      description:
        "credentials file of activate or enroll; checks that connector's service and key",
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    'token-file': tokenFileFlag,
  };

  static override summary = 'Show the settings and test the connection to the service';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(Doctor);
    const {'credentials-file': file, 'token-file': tokenFile} = flags;
    const files = await this.reportFiles();
    const target = file === undefined ? undefined : await examinedTarget(file);
    const settings = await this.settings(target?.service);
    const shown = await shownSettings(settings, this.profiles);
    await this.print(`${renderSettings(shown)}\n`);
    const startedAt = new Date();
    const connect = () =>
      this.connect(settings, {retries: 0, hidesProgress: true, skipsPlainHttpWarning: true});
    const examined = {
      baseUrl: settings.baseUrl.value,
      limit: settings.timeout.value,
      examineToken: tokenFile === undefined ? undefined : () => examineToken(tokenFile),
      tryKey: () => tryKey({settings, connect, target, file, tokenFile}),
    };
    const palette = await paletteFor(this.colorLevel('stdout'));
    const steps = await examineService(examined, palette, (text) => this.print(text));
    const report = await doctorReport(steps, this.config, {startedAt, settings, shown});
    await this.publish(files, {report}, {show: () => [], exitCode: exitCodeOfSteps});
    for (const {path} of files) this.logToStderr(`Wrote the report ${path}, without secrets.`);
    return undefined;
  }
}
