import {Args} from '@oclif/core';
import {type CopyJson, copyStore} from '../../admin/copy.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {renderGrid} from '../../terminal/table/grid.js';

export default class StoreCopy extends BaseCommand<CopyJson> {
  static override args = {
    from: Args.string({
      description: 'store to copy: a directory, or the postgres://… of a database',
      required: true,
    }),
    to: Args.string({
      description: 'target: a new directory, or the postgres://… of an empty database',
      required: true,
    }),
  };

  static override description =
    'Stop every process that uses either store first. Copies all keys, connectors, activation tokens, and the server secret, so clients need no change, to a target that must be empty.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> ./store postgres://db.example/connectors',
    '<%= config.bin %> <%= command.id %> postgres://db.example/connectors ./store',
  ];

  static override summary = 'Copy a store to another location or backend';

  async run(): Promise<CopyJson> {
    const {args} = await this.parse(StoreCopy);
    const copied = await copyStore(args.from, args.to, this.io);
    const {from, to, ...parts} = copied;
    const rows = Object.entries(parts);
    await this.print(
      await renderGrid(
        ['PART', 'RECORDS'],
        rows.map(([part, records]) => [part, String(records)]),
      ),
    );
    this.logToStderr(`Copied ${from} to ${to}. Start serve with the new store.`);
    return copied;
  }
}
