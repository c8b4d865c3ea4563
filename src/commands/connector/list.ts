import {Flags} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {isFiltered, listSelected} from '../../connector/list/selection.js';
import {requireScreen, watchConnectors, watchFlags} from '../../connector/list/watch.js';
import {onlineWithinFlag, withOnlineWithin} from '../../connector/online-within.js';
import {outputFlags, rendererOf} from '../../connector/output.js';
import {onlineIntervals, staleIntervals} from '../../domain/liveness.js';
import {durationFlag, letters, listFlag, namesFlag} from '../../flags.js';
import {contradictedNotice, emptyListNotice, noNameNotice} from '../../terminal/notices.js';

export default class ConnectorList extends ServiceCommand<undefined> {
  static override description =
    `Lists all connectors of the organization; filters and sorting run locally, so they work with any service. At the reference service a connector is online for ${onlineIntervals} heartbeat intervals after a heartbeat, then stale, and offline after ${staleIntervals}.`;

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status offline,stale --sort last_heartbeat_at:desc',
    "<%= config.bin %> <%= command.id %> --name 'web-*' --name 'db-*' -o id",
    '<%= config.bin %> <%= command.id %> --older-than 1h30m --columns id,name,last_heartbeat_at',
    '<%= config.bin %> <%= command.id %> --watch',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.[].name'",
  ];

  static override flags = {
    name: namesFlag(),
    'older-than': durationFlag({
      description: 'only connectors whose last heartbeat is longer ago',
    }),
    'online-within': onlineWithinFlag(),
    ...outputFlags,
    sort: Flags.string({
      description: 'field to sort by, such as name or labels.rack; FIELD:desc for descending',
      helpValue: 'FIELD',
    }),
    status: listFlag({
      char: letters.status,
      description: 'only connectors with one of these statuses, such as offline,stale',
      helpValue: 'STATUS',
    }),
    ...watchFlags,
  };

  static override summary = 'List connectors';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorList);
    // CONNECTORCTL_OUTPUT is meant for lists in pipes, so only the flag conflicts with --watch.
    const output = ((!flags.watch || this.isGiven('output')) && flags.output) || 'table';
    if (flags.watch) requireScreen(this.io, this.commandLine.flags['json'] === true, output);
    const render = await rendererOf({...flags, output}, this.outputSettings);
    const service = await this.client({hidesProgress: flags.watch});
    const client = withOnlineWithin(service.client, flags['online-within'], this.now);
    if (flags.watch) return watchConnectors(client, {...flags, render}, this.outputSettings);
    const {selected, contradicted, unmatched} = await listSelected(client, flags, {now: this.now});
    await this.io.parts(await render(selected));
    if (flags['older-than'] ?? flags['online-within']) this.noteLocalClock();
    const warning = contradictedNotice(contradicted);
    if (warning !== undefined) this.io.note(warning);
    if (unmatched !== undefined) this.io.note(noNameNotice(unmatched));
    else if (selected.length === 0) this.logToStderr(emptyListNotice(isFiltered(flags)));
    return undefined;
  }
}
