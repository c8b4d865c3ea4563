import {Args, Flags} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {letters} from '../../cli/flags.js';
import {changedProfile} from '../../cli/profiles/edit.js';
import {checkProfileName, type Profile, profileOf, withProfile} from '../../cli/profiles/store.js';

export default class ProfileSet extends BaseCommand<Profile & {name: string}> {
  static override args = {
    name: Args.string({description: 'name of the profile', required: true}),
  };

  static override description =
    'Creates the profile, or changes only what the flags name. The first profile becomes the one in use. To save a key as well, use login.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --base-url https://connectors.example --api-key-file ~/.keys/prod',
    '<%= config.bin %> <%= command.id %> prod --auth-header X-API-Key',
  ];

  static override flags = {
    'api-key-file': Flags.string({description: 'file that holds the API key', helpValue: 'PATH'}),
    'auth-header': Flags.string({
      description: 'header for the API key; only Authorization adds "Bearer"',
      helpValue: 'NAME',
    }),
    'base-url': Flags.string({
      char: letters['base-url'],
      description: 'base URL of the service',
      helpValue: 'URL',
    }),
  };

  static override summary = 'Create or change a profile';

  async run(): Promise<Profile & {name: string}> {
    const {args, flags} = await this.parse(ProfileSet);
    const name = checkProfileName(args.name);
    const profile = changedProfile(name, profileOf(await this.profiles.read(), name), flags);
    const {current} = await this.profiles.change((saved) =>
      withProfile(saved, name, profile, saved.current ?? name),
    );
    this.logToStderr(`Saved profile ${name}${current === name ? ', which is in use' : ''}.`);
    return {name, ...profile};
  }
}
