import {Flags} from '@oclif/core';
import {integerFlag, outputFlags, textFlag} from '../../cli/flags.js';
import {withJudgedFilters} from '../../cli/list-filters.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {writeMessage} from '../../cli/terminal/streams.js';
import {watchConnectors} from '../../cli/watch/poll.js';
import {batched} from '../../domain/batches.js';
import {parseSortKey, type Selection, selectConnectors, sortKeys} from '../../domain/selection.js';
import {AppError} from '../../errors.js';
import {cutListNotice, emptyListNotice} from '../../render/notices.js';

/** The fields to sort by, without the spellings for descending order. */
const sortFields = sortKeys.filter((key) => !key.startsWith('-'));

export default class ConnectorList extends ServiceCommand<undefined> {
  static override description =
    'Lists all connectors of the organization. Filters and sorting run locally, so they work with any service.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status offline --sort -last_heartbeat_at',
    "<%= config.bin %> <%= command.id %> --name 'web-*' -o id",
    '<%= config.bin %> <%= command.id %> --watch',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.[].name'",
  ];

  static override flags = {
    limit: integerFlag({description: 'maximum number of connectors to list', min: 1}),
    name: textFlag({
      description: 'only matching names: * any text, ? one character, [abc] one of these',
      helpValue: 'GLOB',
    }),
    ...outputFlags,
    sort: Flags.option({options: sortKeys})({
      description: `field to sort by: ${sortFields.join(', ')}; prefix - for descending`,
      helpValue: 'FIELD',
    }),
    status: textFlag({description: 'only connectors with this status', helpValue: 'STATUS'}),
    watch: Flags.boolean({
      description: 'keep the table up to date; in a pipe, write one line per change',
    }),
  };

  static override summary = 'List connectors';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorList);
    const {limit, name, output, sort, status, watch} = flags;
    const selection: Selection = {
      limit,
      name,
      sort: sort === undefined ? undefined : parseSortKey(sort),
      status,
    };
    if (watch && this.isGiven('output') && !this.jsonEnabled()) {
      throw new AppError('usage', `--watch has no output format ${output}.`, {
        hint: 'Omit --output, or write one line of JSON per change with --watch --json.',
      });
    }
    const {client} = await this.client({hidesProgress: watch});
    if (watch) return watchConnectors(client, selection, this.watchOptions());
    const renderer = await this.renderer(output);
    let count = 0;
    let cut = false;
    async function* counted() {
      const all = withJudgedFilters(client.listConnectors(), selection);
      for await (const batch of selectConnectors(all, selection, () => (cut = true)).batches) {
        count += batch.length;
        yield batch;
      }
    }
    for await (const chunk of renderer.list(batched(counted()))) await this.write(chunk);
    if (count === 0) this.logToStderr(emptyListNotice(status !== undefined || name !== undefined));
    if (cut && limit !== undefined) writeMessage(cutListNotice(limit));
    return undefined;
  }

  private watchOptions() {
    return {
      json: this.jsonEnabled(),
      colourLevel: this.colourLevel('stdout'),
      write: (text: string) => this.write(text),
    };
  }
}
