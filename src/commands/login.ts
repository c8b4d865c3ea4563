import {ServiceCommand} from '../cli/command/service-command.js';
import {inputFlags} from '../flags.js';
import {login} from '../service/login.js';
import {environmentNotice, noteSandbox} from '../service/notices.js';
import {
  checkProfileName,
  profileOf,
  type ShownProfile,
  shownProfile,
  userProfiles,
} from '../service/profiles/store.js';
import {isProfileNeeded, resolveService} from '../service/settings.js';

/** The profile that a login without --profile saves. */
const defaultName = 'default';

export default class Login extends ServiceCommand<ShownProfile> {
  static override description =
    'Asks for the base URL and the API key, tests them against the service, and saves them as a profile, named by --profile or "default", which becomes the one in use. If the service refuses the key, nothing is saved.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --base-url https://connectors.example',
    'pass show prod | <%= config.bin %> <%= command.id %> --profile prod --base-url https://connectors.example --api-key-file -',
  ];

  static override flags = inputFlags;

  static override summary = 'Save a service and its API key as a profile';

  async run(): Promise<ShownProfile> {
    const {
      flags: {profile: wanted = defaultName, ...flags},
    } = await this.parse(Login);
    const name = checkProfileName(wanted);
    // A login replaces the profile of this name, even if another is in use. It is read first, because a broken settings
    // file must fail before a prompt or a request.
    const existing = profileOf(await userProfiles().read(), name);
    const given = resolveService(flags, this.isGiven, {
      name: {value: name, origin: 'profile'},
      profile: isProfileNeeded(flags) ? existing : undefined,
    });
    const profile = await login(name, given, this.io, (settings) => this.connect(settings));
    const limit = this.facts?.key?.access === 'read' ? ', which may only read' : '';
    this.logToStderr(`The service accepts the key${limit}. Saved as profile ${name}, now in use.`);
    noteSandbox(this.facts, this.io);
    const notice = environmentNotice(name, process.env);
    if (notice !== undefined) this.logToStderr(notice);
    this.logToStderr('Next: connectorctl connector list');
    return shownProfile(name, profile);
  }
}
