import {Args} from '@oclif/core';
import {type CheckJson, checkStore} from '../../admin/check.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {renderFields} from '../../terminal/fields.js';

export default class StoreCheck extends BaseCommand<CheckJson> {
  static override args = {
    store: Args.string({
      description: 'directory of a store of the reference service, or of a copy',
      required: true,
    }),
  };

  static override description =
    'Reads every line of the store and verifies its checksum; it changes nothing, and a service may use the store meanwhile. Exits 6 if the store is damaged, 4 if there is none, and 2 if it has another format version.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> /backup/store',
    '<%= config.bin %> <%= command.id %> /backup/store --json',
  ];

  static override summary = 'Check a store or a copy of one without changing it';

  async run(): Promise<CheckJson> {
    const {args} = await this.parse(StoreCheck);
    const checked = await checkStore(args.store, Date.now());
    const {unfinished_bytes, ...facts} = checked;
    const rows = Object.entries(facts).map(
      ([name, value]) => [name.replaceAll('_', ' '), String(value ?? 'none')] as const,
    );
    await this.print(renderFields(rows, 20));
    this.logToStderr(
      unfinished_bytes === 0
        ? 'The store is intact.'
        : `The store is intact. Its last write is unfinished (${unfinished_bytes} bytes, never acknowledged); the next start of serve removes it.`,
    );
    return checked;
  }
}
