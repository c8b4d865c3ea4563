import {Args} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {environmentNotice} from '../../service/notices.js';
import {existingProfile, userProfiles} from '../../service/profiles/store.js';

export default class ProfileUse extends BaseCommand<{current: string}> {
  static override args = {
    name: Args.string({description: 'name of the profile', required: true}),
  };

  static override examples = ['<%= config.bin %> <%= command.id %> prod'];

  static override summary = 'Choose the profile that commands use';

  async run(): Promise<{current: string}> {
    const {args} = await this.parse(ProfileUse);
    await userProfiles().change((settings) => {
      existingProfile(settings, args.name);
      return {...settings, current: args.name};
    });
    this.logToStderr(`Using profile ${args.name}.`);
    const notice = environmentNotice(args.name, process.env);
    if (notice !== undefined) this.logToStderr(notice);
    return {current: args.name};
  }
}
