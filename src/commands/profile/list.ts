import {BaseCommand} from '../../cli/command/base-command.js';
import {type ShownProfile, shownProfile, userProfiles} from '../../service/profiles/store.js';
import {renderGrid} from '../../terminal/table/grid.js';

type ListedProfile = ShownProfile & {readonly current: boolean};

export default class ProfileList extends BaseCommand<ListedProfile[]> {
  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = 'List profiles';

  async run(): Promise<ListedProfile[]> {
    await this.parse(ProfileList);
    const {current, profiles} = await userProfiles().read();
    const listed = Object.entries(profiles).map(([name, profile]) => ({
      ...shownProfile(name, profile),
      current: name === current,
    }));
    if (listed.length === 0) {
      this.logToStderr('No profiles yet. Create one with: connectorctl login');
    } else {
      await this.print(
        await renderGrid(
          ['NAME', 'IN USE', 'BASE URL', 'API KEY'],
          listed.map((profile) => [
            profile.name,
            profile.current ? 'yes' : '',
            profile.base_url,
            profile.has_api_key ? 'saved' : '',
          ]),
        ),
      );
    }
    return listed;
  }
}
