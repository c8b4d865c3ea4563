import {BaseCommand} from '../../cli/command/base-command.js';
import {type ShownProfile, shownProfile} from '../../service/profiles/store.js';
import {terminalWidth} from '../../terminal/capabilities.js';
import {type Column, renderTable} from '../../terminal/table/table.js';

type ListedProfile = ShownProfile & {readonly current: boolean};

const columns: readonly Column<ListedProfile>[] = [
  {title: 'NAME', value: ({name}) => name},
  {title: 'IN USE', value: ({current}) => (current ? 'yes' : '')},
  {title: 'BASE URL', value: (profile) => profile.base_url},
  {title: 'API KEY', value: (profile) => (profile.has_api_key ? 'saved' : '')},
];

export default class ProfileList extends BaseCommand<ListedProfile[]> {
  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override hiddenAliases = ['profile:ls'];

  static override summary = 'List profiles';

  async run(): Promise<ListedProfile[]> {
    await this.parse(ProfileList);
    const {current, profiles} = await this.profiles.read();
    const listed = Object.entries(profiles).map(([name, profile]) => ({
      ...shownProfile(name, profile),
      current: name === current,
    }));
    if (listed.length === 0) {
      this.logToStderr('No profiles yet. Create one with: connectorctl login');
    } else {
      await this.print(await renderTable(listed, columns, terminalWidth()));
    }
    return listed;
  }
}
