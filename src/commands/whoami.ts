import {ServiceCommand} from '../cli/command/service-command.js';
import {connectorField} from '../client/read/connector.js';
import {keyPrefix} from '../domain/secret.js';
import type {WhoamiJson} from '../report/output.js';
import {firstConnector} from '../service/doctor.js';
import {userProfiles} from '../service/profiles/store.js';
import {clientOptions, shownSettings} from '../service/settings.js';
import {renderFields, settingText} from '../terminal/fields.js';
import {exactTime} from '../terminal/time.js';

export default class Whoami extends ServiceCommand<WhoamiJson> {
  static override description =
    'Shows the service, the profile, the source and the beginning of the API key, and tests the key with one request. Where the service sends them, it also shows the organization of the first connector, the expiry of the key, and whether it may only read.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --json',
  ];

  static override summary = 'Show which service, profile, API key and organization commands use';

  async run(): Promise<WhoamiJson> {
    await this.parse(Whoami);
    const settings = await this.settings();
    const {baseUrl, profile, apiKey} = shownSettings(settings, userProfiles());
    const {apiKey: key} = await clientOptions(settings, this.io);
    // Passes the key on, because stdin cannot be read twice.
    const client = await this.connect({
      ...settings,
      apiKey: {...settings.apiKey, text: key, file: undefined},
    });
    const prefix = key === undefined ? '' : `${keyPrefix(key)} `;
    await this.print(
      renderFields([
        ['service', settingText(baseUrl)],
        ['profile', settingText(profile)],
        ['API key', prefix + settingText(apiKey)],
      ]),
    );
    // The list contains only connectors of the key's organization (interface §4.3).
    const first = await firstConnector(client);
    const organization = (first && connectorField.organization(first)) ?? null;
    const {access = null, expiresAt} = this.facts?.key ?? {};
    const expiry = expiresAt === undefined ? null : exactTime(expiresAt);
    const none = first === undefined ? 'not shown before the first connector' : 'unknown';
    const rows: [string, string][] = [['organization', organization ?? none]];
    if (access !== null) rows.push(['access', access]);
    if (expiry !== null) rows.push(['expires', expiry]);
    await this.print(renderFields(rows));
    return {
      base_url: settings.baseUrl.value,
      profile: settings.profile.value ?? null,
      api_key:
        key === undefined
          ? null
          : {
              ...{prefix: keyPrefix(key), place: apiKey.value, from: apiKey.from},
              ...{access, expires_at: expiry},
            },
      organization,
    };
  }
}
