import {Args} from '@oclif/core';
import {BaseCommand} from '../../cli/base-command.js';

export default class ProfileRemove extends BaseCommand<{removed: string}> {
  static override args = {
    name: Args.string({description: "the profile's name", required: true}),
  };

  static override description =
    'A key that login saved goes with it; a key file of your own is left alone.';

  static override examples = ['<%= config.bin %> <%= command.id %> staging'];

  static override summary = 'Remove a named service';

  async run(): Promise<{removed: string}> {
    const {args} = await this.parse(ProfileRemove);
    await this.profiles.get(args.name);
    await this.profiles.change(({current, profiles, ...rest}) => {
      const {[args.name]: _removed, ...kept} = profiles;
      return {...rest, current: current === args.name ? null : current, profiles: kept};
    });
    this.say(`Removed profile ${args.name}.`);
    return {removed: args.name};
  }
}
