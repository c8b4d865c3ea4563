import {inputFlags} from '../cli/flags.js';
import {login, settingsForLogin} from '../cli/login.js';
import {loginTalk} from '../cli/profile-talk.js';
import {checkProfileName, type Profile} from '../cli/profiles.js';
import {ServiceCommand} from '../cli/service-command.js';
import {resolveService} from '../cli/settings.js';

/** The profile that a login without a name saves. */
const defaultName = 'default';

export default class Login extends ServiceCommand<Profile & {name: string}> {
  static override description =
    'Asks for the URL and the API key, tries them against the service, and saves them as the profile in use: --profile, or "default". The key goes to a file of its own that only you can read. When the service refuses, nothing is saved. Run again to renew the key.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --base-url https://connectors.example',
    'pass show prod | <%= config.bin %> <%= command.id %> --profile prod --base-url https://connectors.example --api-key-file -',
  ];

  static override flags = inputFlags;

  static override summary = 'Save a service and its API key as a profile';

  async run(): Promise<Profile & {name: string}> {
    const parsed = await this.parse(Login);
    const {profile: wanted = defaultName, ...flags} = parsed.flags;
    const name = checkProfileName(wanted);
    const store = await settingsForLogin(this.profiles, name);
    const given = (flag: string) => this.isGiven(parsed, flag);
    const profile = await login(name, await resolveService(flags, given, store), {
      profiles: this.profiles,
      noInput: flags['no-input'],
      connect: (settings) => this.connect(settings, parsed),
    });
    for (const line of loginTalk(name)) this.say(line);
    return {name, ...profile};
  }
}
