import {Args, type Interfaces} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {
  checkProfileName,
  existingProfile,
  type ShownProfile,
  shownProfile,
  userProfiles,
  withProfile,
} from '../../service/profiles/store.js';
import {readSecretFile} from '../../service/secret-input.js';
import {apiKeyFile, serviceFlags} from '../../service/settings.js';

/** The flag without its variable: a profile gets only what is typed. */
function typed<T>({env: _env, helpGroup: _group, ...flag}: Interfaces.OptionFlag<T>) {
  return flag as Interfaces.OptionFlag<T>;
}

export default class ProfileSet extends BaseCommand<ShownProfile> {
  static override args = {
    name: Args.string({description: 'name of the profile', required: true}),
  };

  static override description =
    'Creates the profile, or changes only what the flags name; the first profile becomes the one in use. --api-key-file copies the key into the settings without a test; login asks for a key and tests it.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --base-url https://connectors.example --api-key-file ~/.keys/prod',
    '<%= config.bin %> <%= command.id %> prod --auth-header X-API-Key',
  ];

  static override flags = {
    'api-key-file': typed(serviceFlags['api-key-file']),
    'auth-header': typed(serviceFlags['auth-header']),
    'base-url': typed(serviceFlags['base-url']),
  };

  static override summary = 'Create or change a profile';

  async run(): Promise<ShownProfile> {
    const {args, flags} = await this.parse(ProfileSet);
    const name = checkProfileName(args.name);
    const file = flags['api-key-file'];
    const change = {
      base_url: flags['base-url'],
      api_key:
        file === undefined ? undefined : await readSecretFile(file, {...apiKeyFile, io: this.io}),
      auth_header: flags['auth-header'],
    };
    const after = await userProfiles().change((saved) =>
      withProfile(saved, name, change, saved.current ?? name),
    );
    this.logToStderr(`Saved profile ${name}${after.current === name ? ', which is in use' : ''}.`);
    return shownProfile(name, existingProfile(after, name));
  }
}
