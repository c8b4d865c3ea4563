import {Flags} from '@oclif/core';
import {BaseCommand} from '../cli/command/base-command.js';
import {type VersionInfo, versionInfo} from '../cli/doctor/running-build.js';
import {renderFields} from '../render/fields.js';

export default class Version extends BaseCommand<VersionInfo> {
  static override description =
    'The same as --version. With --verbose also commit, date, build, Node.js, the platform and the code cache, for a bug report; --version --verbose and --version --json work too.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --verbose',
    '<%= config.bin %> <%= command.id %> --json',
  ];

  static override flags = {
    verbose: Flags.boolean({
      description: 'also commit, date, build, Node.js, platform and code cache',
    }),
  };

  static override summary = 'Print the version';

  async run(): Promise<VersionInfo> {
    const {flags} = await this.parse(Version);
    const info = versionInfo(this.config.version);
    const cache = info.code_cache;
    await this.print(
      flags.verbose
        ? renderFields([
            ['version', info.version],
            ['commit', info.commit ?? 'unknown'],
            ['date', info.date ?? 'unknown'],
            ['build', info.build ?? 'none (not a bundle)'],
            ['Node.js', info.node],
            ['platform', info.platform],
            [
              'code cache',
              cache ? `${cache.state} (${cache.directory ?? 'no directory'})` : 'none',
            ],
          ])
        : `${this.config.userAgent}\n`,
    );
    return info;
  }
}
