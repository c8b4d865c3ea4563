import {existsSync} from 'node:fs';
import {Args} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {existingProfile, type Profile} from '../../cli/profiles/store.js';
import {renderFields} from '../../render/fields.js';

type ShownProfile = Profile & {readonly name: string; readonly current: boolean};

export default class ProfileShow extends BaseCommand<ShownProfile> {
  static override args = {
    name: Args.string({description: 'name of the profile', required: true}),
  };

  static override description = 'Shows where the API key is, never the key itself.';

  static override examples = ['<%= config.bin %> <%= command.id %> prod'];

  static override summary = 'Show a profile';

  async run(): Promise<ShownProfile> {
    const {args} = await this.parse(ProfileShow);
    const settings = await this.profiles.read();
    const profile = existingProfile(settings, args.name);
    const current = settings.current === args.name;
    const {base_url: baseUrl, api_key_file: file, auth_header: header} = profile;
    const missing = file !== undefined && !existsSync(file) ? ' (does not exist)' : '';
    await this.print(
      renderFields([
        ['name', args.name],
        ['in use', current ? 'yes' : 'no'],
        ['base URL', baseUrl],
        ['API key file', file === undefined ? 'none' : `${file}${missing}`],
        ...(header === undefined ? [] : [['key header', header] as const]),
      ]),
    );
    return {name: args.name, current, ...profile};
  }
}
