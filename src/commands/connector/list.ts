import {ServiceCommand} from '../../cli/command/service-command.js';
import {
  type ConnectorListFlags,
  connectorListFlags,
  withProtectedSortKey,
} from '../../connector/list/list.js';
import {requireScreen, watchConnectors} from '../../connector/list/watch.js';
import {isFiltered, selectedConnectors} from '../../connector/selection.js';
import {onlineIntervals, staleIntervals} from '../../domain/liveness.js';
import {AppError} from '../../errors.js';
import {cutListNotice, emptyListNotice} from '../../terminal/notices.js';
import {paletteFor} from '../../terminal/palette.js';
import {writeMessage} from '../../terminal/streams.js';
import {fieldOfTitle} from '../../terminal/table/connectors.js';

export default class ConnectorList extends ServiceCommand<undefined> {
  static override description =
    `Lists all connectors of the organization. Filters and sorting run locally, so they work with any service. --older-than counts from the last heartbeat, by the clock of the service; a connector that never sent one does not match (see --status never). At the reference service a connector is online for ${onlineIntervals} heartbeat intervals after a heartbeat, then stale, and offline after ${staleIntervals}.`;

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status offline,stale --sort -last_heartbeat_at',
    "<%= config.bin %> <%= command.id %> --name 'web-*' --name 'db-*' -o id",
    '<%= config.bin %> <%= command.id %> --older-than 1h30m --columns id,name,last_heartbeat_at',
    '<%= config.bin %> <%= command.id %> --watch',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.[].name'",
  ];

  static override flags = connectorListFlags;

  static override hiddenAliases = ['connector:ls'];

  static override summary = 'List connectors';

  async run(): Promise<undefined> {
    this.argv = withProtectedSortKey(this.argv);
    const parsed = await this.parse(ConnectorList);
    const {columns, sort} = parsed.flags;
    const flags = {...parsed.flags, columns: columns?.map(fieldOfTitle), sort: sort?.trim()};
    if (flags.watch) return this.#watch(flags);
    const renderer = await this.renderer(flags);
    const {client} = await this.client();
    const {selected, isCut} = await selectedConnectors(client, flags, flags);
    for await (const text of renderer.list(selected)) await this.write(text);
    if (selected.length === 0) this.logToStderr(emptyListNotice(isFiltered(flags)));
    if (isCut && flags.limit !== undefined) writeMessage(cutListNotice(flags.limit));
    return undefined;
  }

  async #watch(flags: ConnectorListFlags): Promise<undefined> {
    requireScreen(this.jsonEnabled());
    // CONNECTORCTL_OUTPUT is meant for lists in pipes, so only the flag conflicts with --watch.
    const output = this.isGiven('output') ? flags.output : 'table';
    if (output !== 'table' && output !== 'wide') {
      throw new AppError('usage', `--watch has no output format ${output}.`, {
        hint: 'Omit --output, or use -o wide.',
      });
    }
    const {client} = await this.client({hidesProgress: true});
    return watchConnectors(client, flags, {
      renderer: await this.renderer({columns: flags.columns, output}),
      palette: await paletteFor(this.colorLevel('stdout')),
      interval: flags.interval,
      now: this.now,
    });
  }
}
