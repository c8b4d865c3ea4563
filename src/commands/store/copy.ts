import {Args} from '@oclif/core';
import {BaseCommand} from '../../cli/base-command.js';
import {copyStore} from '../../cli/store/copy.js';
import {terminalWidth} from '../../cli/terminal/capabilities.js';
import {renderGrid} from '../../render/table/grid.js';

/** A part of a store: how many records, and the SHA-256 of them all in the order of their keys. */
interface PartJson {
  readonly records: number;
  readonly sha256: string;
}

interface CopyJson {
  readonly from: string;
  readonly to: string;
  readonly api_keys: PartJson;
  readonly tokens: PartJson;
  readonly connectors: PartJson;
}

export default class StoreCopy extends BaseCommand<CopyJson> {
  static override args = {
    from: Args.string({description: 'store to copy: a directory or postgres://…', required: true}),
    to: Args.string({description: 'new place for it: a directory or postgres://…', required: true}),
  };

  static override description =
    'Stop every serve on the store first. All keys, activation tokens and connectors go along, with the server secret, so that clients notice nothing. The copy is compared with its source, by count and by hash, before it can be opened. A place that holds anything is refused, also the rest of a copy that was interrupted: the error shows the command that removes it.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> ./store postgres://db.example/connectors',
    '<%= config.bin %> <%= command.id %> postgres://db.example/connectors ./store',
  ];

  static override summary = 'Copy a store to another place or kind';

  async run(): Promise<CopyJson> {
    const {args} = await this.parse(StoreCopy);
    const {from, to, result} = await copyStore(args.from, args.to);
    const {apiKeys: api_keys, tokens, connectors} = result;
    const rows = Object.entries({api_keys, tokens, connectors});
    await this.print(
      await renderGrid(
        ['PART', 'RECORDS', 'SHA-256'],
        rows.map(([part, {records, sha256}]) => [part, String(records), sha256]),
        terminalWidth(),
      ),
    );
    this.logToStderr(`Copied ${from} to ${to}: both are equal. Start serve with the new one.`);
    return {from, to, api_keys, tokens, connectors};
  }
}
