import {Args} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {existingProfile, userProfiles} from '../../service/profiles/store.js';

export default class ProfileRemove extends BaseCommand<{removed: string}> {
  static override args = {
    name: Args.string({description: 'name of the profile', required: true}),
  };

  static override description = 'Also removes its API key.';

  static override examples = ['<%= config.bin %> <%= command.id %> staging'];

  static override summary = 'Remove a profile';

  async run(): Promise<{removed: string}> {
    const {args} = await this.parse(ProfileRemove);
    const {current, profiles} = await userProfiles().change((saved) => {
      existingProfile(saved, args.name);
      const {[args.name]: _removed, ...kept} = saved.profiles;
      const current = saved.current === args.name ? null : saved.current;
      return {...saved, current, profiles: kept};
    });
    this.logToStderr(`Removed profile ${args.name}.`);
    if (current === null && Object.keys(profiles).length > 0) {
      this.logToStderr('No profile is in use now. Choose one with: connectorctl profile use NAME');
    }
    return {removed: args.name};
  }
}
