import {Flags} from '@oclif/core';
import {tryKey} from '../cli/doctor/api-key.js';
import {type CheckResult, type Examined, examine} from '../cli/doctor/examine.js';
import {shownSettings} from '../cli/doctor/settings.js';
import {examineToken} from '../cli/doctor/token.js';
import {textFlag} from '../cli/flags.js';
import {heartbeatTarget} from '../cli/heartbeat/target.js';
import {clientOptions, isFromStdin, type ServiceSettings} from '../cli/service/settings.js';
import {ServiceCommand} from '../cli/service-command.js';
import {createStatusLine} from '../cli/terminal/status-line.js';
import {exitCodes} from '../errors.js';
import {renderCheckResult, renderSettings, type SettingView} from '../render/doctor.js';
import {paletteFor} from '../render/palette.js';

/** The settings, and the result of each step on the way to the service. */
interface Diagnosis {
  readonly ok: boolean;
  readonly settings: readonly SettingView[];
  readonly findings: readonly CheckResult[];
}

export default class Doctor extends ServiceCommand<Diagnosis> {
  static override description =
    'Shows each setting and its source, then tests the connection step by step: proxy, DNS, TCP, TLS, HTTP, clock, API key. Exits 0 when every step succeeds, otherwise with the code of the first failure. Changes nothing.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --timeout 3s',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json',
    '<%= config.bin %> <%= command.id %> --token-file token',
    '<%= config.bin %> <%= command.id %> --report report.json',
    '<%= config.bin %> <%= command.id %> --json | jq \'.findings[] | select(.verdict != "ok")\'',
  ];

  static override flags = {
    'credentials-file': Flags.string({
      description: "credentials file written by activate; checks that connector's service and key",
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    report: textFlag({
      description: 'also write a report without secrets, to attach to a bug report',
      helpValue: 'PATH',
    }),
    'token-file': Flags.string({
      description: 'file that holds an activation token, to check without sending it; - is stdin',
      exclusive: ['credentials-file'],
      helpValue: 'PATH',
    }),
  };

  static override summary = 'Show the settings and test the connection to the service';

  async run(): Promise<Diagnosis> {
    const {flags} = await this.parse(Doctor);
    const {'credentials-file': file, 'token-file': tokenFile} = flags;
    const target = file === undefined ? undefined : await heartbeatTarget(undefined, file);
    const settings = await this.settings(target?.service);
    const shown = await shownSettings(settings, this.profiles);
    await this.print(`${renderSettings(shown)}\n`);
    const findings = await this.#examine({
      baseUrl: settings.baseUrl.value,
      limit: settings.timeout.value,
      examineToken: tokenFile === undefined ? undefined : () => examineToken(tokenFile),
      tryKey: async () => {
        if (tokenFile !== undefined && settings.apiKey.value === undefined) {
          return 'no key is set, and connector activate needs none';
        }
        const client = await this.connect(settings, {
          retries: 0,
          hidesProgress: true,
          skipsPlainHttpWarning: true,
        });
        return tryKey(client, settings, target?.id);
      },
    });
    if (flags.report !== undefined) {
      const {writeDoctorReport} = await import('../cli/doctor/report.js');
      const {version} = this.config;
      const secret = await keyAgain(settings);
      await writeDoctorReport(flags.report, {version, settings: shown, findings, secret});
      this.logToStderr(`Wrote the report ${flags.report}, without secrets.`);
    }
    const failure = findings.find(({verdict}) => verdict === 'fail');
    if (failure !== undefined) process.exitCode = exitCodes[failure.kind ?? 'internal'].code;
    return {ok: failure === undefined, settings: shown, findings};
  }

  /** Prints each result as soon as it is known. */
  async #examine(examined: Examined): Promise<readonly CheckResult[]> {
    const findings: CheckResult[] = [];
    const palette = await paletteFor(this.colourLevel('stdout'));
    const endLine = createStatusLine()?.begin(() => `Testing ${examined.baseUrl} …`);
    for await (const finding of examine(examined)) {
      findings.push(finding);
      await this.print(renderCheckResult(finding, palette));
    }
    endLine?.();
    return findings;
  }
}

/** The API key, read once more to keep it out of the report; undefined where that is not possible. */
async function keyAgain(settings: ServiceSettings): Promise<string | undefined> {
  if (isFromStdin(settings.apiKey.value)) return undefined;
  return clientOptions(settings).then(
    ({apiKey}) => apiKey,
    () => undefined,
  );
}
