import {Flags, type Interfaces} from '@oclif/core';
import {isFiltered, selectedConnectors} from '../../cli/connectors/filters.js';
import {withProtectedSortKey} from '../../cli/connectors/sort-key.js';
import {watchConnectors} from '../../cli/connectors/watch/poll.js';
import {
  durationFlag,
  integerFlag,
  letters,
  listFlag,
  namesFlag,
  outputFlags,
  textFlag,
} from '../../cli/flags.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {writeMessage} from '../../cli/terminal/streams.js';
import {batched} from '../../domain/batches.js';
import {parseSortKey, type Selection} from '../../domain/selection.js';
import {AppError} from '../../errors.js';
import {cutListNotice, emptyListNotice} from '../../render/notices.js';

export default class ConnectorList extends ServiceCommand<undefined> {
  static override description =
    'Lists all connectors of the organization. Filters and sorting run locally, so they work with any service. --older-than and --newer-than count from the last heartbeat, by the clock of the service; a connector that never sent one matches neither (see --status never).';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status offline,stale --sort -last_heartbeat_at',
    "<%= config.bin %> <%= command.id %> --name 'web-*' --name 'db-*' -o id",
    '<%= config.bin %> <%= command.id %> --older-than 1h30m --columns id,name,last_heartbeat_at',
    '<%= config.bin %> <%= command.id %> --watch',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.[].name'",
  ];

  static override flags = {
    interval: durationFlag({
      dependsOn: ['watch'],
      description: 'interval between two polls of --watch (default 2s)',
      min: 500,
    }),
    limit: integerFlag({
      char: letters.limit,
      description: 'maximum number of connectors to list',
      min: 1,
    }),
    name: namesFlag(),
    'newer-than': durationFlag({
      description: 'only connectors whose last heartbeat is at most this long ago',
    }),
    'older-than': durationFlag({
      description: 'only connectors whose last heartbeat is longer ago',
    }),
    ...outputFlags,
    sort: textFlag({
      description: 'field to sort by, such as name or labels.rack; prefix - for descending',
      helpValue: 'FIELD',
    }),
    status: listFlag({
      char: letters.status,
      description: 'only connectors with one of these statuses, such as offline,stale',
      helpValue: 'STATUS',
    }),
    watch: Flags.boolean({
      char: letters.watch,
      description: 'keep the table up to date; in a pipe, write one line per change',
      exclusive: ['columns', 'no-headers'],
    }),
  };

  static override hiddenAliases = ['connector:ls'];

  static override summary = 'List connectors';

  async run(): Promise<undefined> {
    this.argv = withProtectedSortKey(this.argv);
    const {flags} = await this.parse(ConnectorList);
    const {limit, name, sort, status} = flags;
    const selection: Selection = {
      limit,
      name,
      newerThan: flags['newer-than'],
      olderThan: flags['older-than'],
      sort: sort === undefined ? undefined : parseSortKey(sort.trim()),
      status,
    };
    if (flags.watch) return this.#watch(selection, flags);
    const renderer = await this.renderer(flags);
    const {client} = await this.client();
    let count = 0;
    let isCut = false;
    async function* counted() {
      const onCut = () => {
        isCut = true;
      };
      for await (const batch of selectedConnectors(client, selection, {onCut}).batches) {
        count += batch.length;
        yield batch;
      }
    }
    for await (const chunk of renderer.list(batched(counted()))) await this.write(chunk);
    if (count === 0) this.logToStderr(emptyListNotice(isFiltered(selection)));
    if (isCut && limit !== undefined) writeMessage(cutListNotice(limit));
    return undefined;
  }

  async #watch(selection: Selection, {interval, output}: ListFlags): Promise<undefined> {
    if (this.isGiven('output') && !this.jsonEnabled()) {
      throw new AppError('usage', `--watch has no output format ${output}.`, {
        hint: 'Omit --output, or write one line of JSON per change with --watch --json.',
      });
    }
    const {client} = await this.client({hidesProgress: true});
    return watchConnectors(client, selection, {
      json: this.jsonEnabled(),
      colorLevel: this.colorLevel('stdout'),
      interval,
      write: (text) => this.write(text),
    });
  }
}

type ListFlags = Interfaces.InferredFlags<typeof ConnectorList.flags>;
