import {BaseCommand} from '../cli/command/base-command.js';
import {AppError} from '../errors.js';
import {existingProfile, userProfiles} from '../service/profiles/store.js';
import {apiKeyVariable, serviceFlags} from '../service/settings.js';

interface LoggedOut {
  readonly name: string;
  /** Whether the profile had an API key. */
  readonly removed: boolean;
}

export default class Logout extends BaseCommand<LoggedOut> {
  static override description =
    'Removes the API key from the profile in use, or from the one that --profile names; the profile keeps its base URL. The service still accepts the key: revoke it there.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod',
  ];

  static override flags = {profile: serviceFlags.profile};

  static override summary = 'Remove the API key of a profile';

  async run(): Promise<LoggedOut> {
    const {flags} = await this.parse(Logout);
    const name = flags.profile ?? (await userProfiles().read()).current;
    if (name === null) {
      throw new AppError('usage', 'No profile is in use.', {
        hint: 'Choose one with --profile NAME. To see them: connectorctl profile list',
      });
    }
    let removed = false;
    await userProfiles().change((settings) => {
      const {api_key: key, ...profile} = existingProfile(settings, name);
      removed = key !== undefined;
      return {...settings, profiles: {...settings.profiles, [name]: profile}};
    });
    if (removed) this.logToStderr(`Removed the API key of profile ${name}.`);
    else this.logToStderr(`Profile ${name} has no API key.`);
    const variables = [apiKeyVariable, serviceFlags['api-key-file'].env ?? ''];
    for (const variable of variables.filter((each) => process.env[each])) {
      this.logToStderr(`Note: ${variable} is set in the environment; commands still use that key.`);
    }
    this.logToStderr(`To save another key: connectorctl login --profile ${name}`);
    return {name, removed};
  }
}
