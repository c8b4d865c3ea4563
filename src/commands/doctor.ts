import {ServiceCommand} from '../cli/command/service-command.js';
import {heartbeatTarget} from '../connector/credentials/target.js';
import {credentialsFileFlag} from '../connector/run/flags.js';
import {networkVariables} from '../flags.js';
import type {DoctorJson} from '../report/output.js';
import {serviceJson, serviceRows, tryKey} from '../service/doctor.js';
import {userProfiles} from '../service/profiles/store.js';
import {shownSettings} from '../service/settings.js';
import {renderFields, settingText} from '../terminal/fields.js';
import {relativeTime} from '../terminal/time.js';

export default class Doctor extends ServiceCommand<DoctorJson> {
  static override description =
    `Shows each setting and its source, then makes one request with the API key and shows the address, the proxy, the certificate, the clock, and whether the service accepts the key; it changes nothing. ${networkVariables}`;

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --timeout 3s',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json',
    '<%= config.bin %> <%= command.id %> --json | jq -r .certificate_end',
  ];

  static override flags = {
    'credentials-file': credentialsFileFlag(
      "credentials file of activate or enroll; checks that connector's service and key",
    ),
  };

  static override summary = 'Show the settings and test the connection to the service';

  async run(): Promise<DoctorJson> {
    const {flags} = await this.parse(Doctor);
    const file = flags['credentials-file'];
    const target = file === undefined ? undefined : await heartbeatTarget(undefined, file, this.io);
    const settings = await this.settings(target?.service);
    const hasKey = (settings.apiKey.text ?? settings.apiKey.file) !== undefined;
    const shown = Object.values(shownSettings(settings, userProfiles()));
    const rows = shown.map((setting) => [setting.name, settingText(setting)] as const);
    await this.print(`${renderFields(rows, Math.max(...rows.map(([name]) => name.length)))}\n`);
    const client = await this.connect(settings, {retries: 0});
    let key: string | undefined;
    try {
      const result = await tryKey(client, hasKey, target?.id);
      const {access, expiresAt} = this.facts?.key ?? {};
      const limits = [
        access === 'read' ? '; it may only read' : '',
        expiresAt === undefined ? '' : `; it expires ${relativeTime(expiresAt, this.now())}`,
      ];
      key = [result, ...limits].join('');
    } finally {
      const met = serviceRows(this.facts);
      await this.print(renderFields(key === undefined ? met : [...met, ['key', key]], 13));
    }
    return {settings: shown, ...serviceJson(this.facts), key};
  }
}
