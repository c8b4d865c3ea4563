import {BaseCommand} from '../cli/command/base-command.js';
import {apiKeyVariable, serviceFlags} from '../cli/flags.js';
import {existingProfile} from '../cli/profiles/store.js';
import {AppError} from '../errors.js';
import {escapeControl} from '../render/escape.js';

interface LoggedOut {
  readonly name: string;
  /** The key file that the profile named; null when it had none. */
  readonly api_key_file: string | null;
}

export default class Logout extends BaseCommand<LoggedOut> {
  static override description =
    'Removes the API key from the profile in use, or from the one that --profile names, and deletes the file that login saved it in. A key file of your own stays where it is. The profile keeps its base URL, for the next login. The service still accepts the key: revoke it there.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod',
  ];

  static override flags = {profile: serviceFlags.profile};

  static override summary = 'Remove the API key of a profile';

  async run(): Promise<LoggedOut> {
    const {flags} = await this.parse(Logout);
    const name = flags.profile ?? (await this.profiles.read()).current;
    if (name === null) {
      throw new AppError('usage', 'No profile is in use.', {
        hint: 'Choose one with --profile NAME. To see them: connectorctl profile list',
      });
    }
    let file: string | undefined;
    await this.profiles.change((settings) => {
      const {api_key_file: path, ...profile} = existingProfile(settings, name);
      file = path;
      return {...settings, profiles: {...settings.profiles, [name]: profile}};
    });
    if (file === undefined) this.logToStderr(`Profile ${name} has no API key.`);
    else this.logToStderr(`Removed the API key of profile ${name}.`);
    if (file !== undefined && !this.profiles.isOwnKeyFile(file)) {
      this.logToStderr(`Note: the key is still in ${escapeControl(file)}, which is your own file.`);
    }
    const variables = [apiKeyVariable, serviceFlags['api-key-file'].env ?? ''];
    for (const variable of variables.filter((each) => process.env[each])) {
      this.logToStderr(`Note: ${variable} is set in the environment; commands still use that key.`);
    }
    this.logToStderr(`To save another key: connectorctl login --profile ${name}`);
    return {name, api_key_file: file ?? null};
  }
}
