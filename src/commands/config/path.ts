import {existsSync} from 'node:fs';
import {BaseCommand} from '../../cli/command/base-command.js';

interface SettingsFile {
  readonly path: string;
  readonly exists: boolean;
}

export default class ConfigPath extends BaseCommand<SettingsFile> {
  static override description =
    'The file holds the profiles. XDG_CONFIG_HOME moves its directory. The file need not exist: login and profile set create it.';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = 'Print the path of the settings file';

  async run(): Promise<SettingsFile> {
    await this.parse(ConfigPath);
    const {path} = this.profiles;
    await this.print(`${path}\n`);
    return {path, exists: existsSync(path)};
  }
}
