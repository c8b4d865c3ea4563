import {resolve} from 'node:path';
import {Args, Flags} from '@oclif/core';
import {BaseCommand} from '../../cli/base-command.js';
import {checkBaseUrl, checkProfileName, type Profile} from '../../cli/profiles.js';

export default class ProfileSet extends BaseCommand<Profile> {
  static override args = {
    name: Args.string({description: "the profile's name", required: true}),
  };

  static override description =
    'Makes the profile, or changes what the flags name and leaves the rest. The first profile made becomes the one in use.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --base-url https://connectors.example --api-key-file ~/.keys/prod',
  ];

  static override flags = {
    'api-key-file': Flags.string({description: 'file that holds the API key', helpValue: 'PATH'}),
    'auth-header': Flags.string({
      description: 'header that carries the API key',
      helpValue: 'NAME',
    }),
    'base-url': Flags.string({description: 'base URL of the service', helpValue: 'URL'}),
  };

  static override summary = 'Make or change a named service';

  async run(): Promise<Profile> {
    const {args, flags} = await this.parse(ProfileSet);
    const name = checkProfileName(args.name);
    const keyFile = flags['api-key-file'];
    const change: Profile = {
      ...(flags['base-url'] !== undefined && {base_url: checkBaseUrl(flags['base-url'])}),
      ...(keyFile !== undefined && {api_key_file: resolve(keyFile)}),
      ...(flags['auth-header'] !== undefined && {auth_header: flags['auth-header']}),
    };
    const {profiles, current} = await this.profiles.change((settings) => ({
      ...settings,
      current: settings.current ?? name,
      profiles: {...settings.profiles, [name]: {...settings.profiles[name], ...change}},
    }));
    this.say(`Saved profile ${name}${current === name ? ' (in use)' : ''}.`);
    return profiles[name] ?? {};
  }
}
