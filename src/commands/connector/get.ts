import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {requireField} from '../../connector/fields/known-names.js';
import {namesOfService, requireId, withId} from '../../connector/id-words.js';
import {forEachId, readIds, reported, singleId, valuesOf} from '../../connector/ids.js';
import {onlineWithinFlag, withOnlineWithin} from '../../connector/online-within.js';
import {outputFlags, rendererOf} from '../../connector/output.js';
import {waitForStatus} from '../../connector/wait-for-status.js';
import type {JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {durationFlag, textFlag} from '../../flags.js';
import {shownWord} from '../../terminal/notices.js';

export default class ConnectorGet extends ServiceCommand<undefined> {
  static override args = {
    id: Args.string({
      description:
        'id of the connector; also its name, if no other has it; several give a list, - reads them from stdin',
      multiple: true,
      required: true,
    }),
  };

  static override description =
    'Shows a connector. Several ids print a list (with --json an array) of the connectors that exist, in the order given. Each id that does not exist is reported on stderr, and the exit code is that of the first error. With --wait it exits 6 when the time is up.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --json | jq -r .status',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --wait online --wait-timeout 5m',
    '<%= config.bin %> connector list --status offline -o id | <%= config.bin %> <%= command.id %> - -o csv',
  ];

  static override flags = {
    ...outputFlags,
    'online-within': onlineWithinFlag(['wait']),
    wait: textFlag({description: 'wait until the connector has this status', helpValue: 'STATUS'}),
    'wait-timeout': durationFlag({
      dependsOn: ['wait'],
      description: 'maximum time to wait, then exit with 6 (default 60s)',
    }),
  };

  static override summary = 'Show one connector, or several';

  async run(): Promise<undefined> {
    const {args, flags} = await this.parse(ConnectorGet);
    const {wait: status, 'wait-timeout': limit} = flags;
    const id = singleId(args.id);
    const ids = id === undefined ? await readIds(args.id, this.io) : [id];
    if (id !== undefined) requireId(id);
    if (ids.length === 0 && status !== undefined) {
      throw new AppError('unmet', `No connector is ${status}, because stdin holds no id.`, {
        hint: 'Check the command that writes the ids.',
      });
    }
    const {client: plain} = await this.client({hidesProgress: status !== undefined});
    const client = withOnlineWithin(plain, flags['online-within'], this.now);
    const renderer = await rendererOf(flags, this.outputSettings);
    const find = namesOfService(client);
    const read = (one: string) =>
      withId(
        one,
        find,
        (id) =>
          status === undefined
            ? client.getConnector(id)
            : waitForStatus(client, id, {status, limit}, this.io),
        (id) => this.io.note(`${shownWord(one)} is the name of ${shownWord(id)}.`),
      );
    if (id !== undefined) {
      const {raw: connector} = await read(id);
      if (flags['online-within'] !== undefined) this.noteLocalClock();
      for (const column of flags.columns ?? []) requireField('show', column, [connector]);
      await this.io.parts(
        renderer.one ? [renderer.one(connector)] : await renderer.list([connector]),
      );
      return undefined;
    }
    const found = valuesOf(reported(forEachId(ids, read), this.io));
    const connectors: JsonObject[] = [];
    for await (const {raw} of found) connectors.push(raw);
    for (const column of flags.columns ?? []) requireField('show', column, connectors);
    await this.io.parts(await renderer.list(connectors));
    return undefined;
  }
}
