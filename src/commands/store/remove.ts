import {Args, Flags} from '@oclif/core';
import {shownStore, storeFlags, storeLocation, withStoreAdmin} from '../../admin/admin.js';
import {
  approveRemoval,
  findTargets,
  idsIn,
  notInStore,
  removeTargets,
  renderTargets,
  requireTarget,
} from '../../admin/removal.js';
import {BaseCommand} from '../../cli/command/base-command.js';
import {counted} from '../../domain/words.js';
import {durationFlag, inputFlags, letters, namesFlag} from '../../flags.js';
import type {ConnectorInfo} from '../../server/admin/admin.js';

interface RemovalJson {
  /** The removed connectors. */
  readonly connectors: readonly ConnectorInfo[];
  /** The ids that the store does not have. */
  readonly unknown: readonly string[];
}

export default class StoreRemove extends BaseCommand<RemovalJson> {
  static override args = {
    id: Args.string({
      description: 'id of a connector to remove; several, or - for ids from stdin',
      multiple: true,
    }),
  };

  static override description =
    'Shows which connectors would go, and asks on a terminal before it removes them; without a terminal it needs --yes. Cannot be undone: such a machine needs a new token, and gets a new id.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> --organization acme --offline-since 30d',
    "<%= config.bin %> <%= command.id %> --name 'runner-*' --offline-since 1d --yes",
  ];

  static override flags = {
    'all-organizations': Flags.boolean({
      description: 'allow connectors of more than one organization',
      exclusive: ['organization'],
    }),
    name: namesFlag(),
    'offline-since': durationFlag({
      description: 'only connectors whose last heartbeat is longer ago',
    }),
    organization: Flags.string({
      aliases: ['org'],
      description: 'only connectors of this organization',
      helpValue: 'NAME',
    }),
    ...storeFlags,
    yes: Flags.boolean({char: letters.yes, description: 'remove them without a question'}),
    ...inputFlags,
  };

  static override summary = 'Remove connectors from the store of the reference service';

  async run(): Promise<RemovalJson> {
    const {args, flags} = await this.parse(StoreRemove);
    const {io} = this;
    const target = {
      ids: args.id && (await idsIn(args.id)),
      names: flags.name,
      silentFor: flags['offline-since'],
      organization: flags.organization,
    };
    requireTarget(target);
    const {found, unknown} = await withStoreAdmin(flags, io, (admin) => findTargets(admin, target));
    if (unknown.length > 0) this.logToStderr(notInStore(unknown));
    if (found.length === 0) {
      this.logToStderr('No connector matches; nothing was removed.');
      return {connectors: [], unknown};
    }
    // The store is closed during the prompt, so that a service can start.
    const store = await shownStore(storeLocation(flags));
    await approveRemoval(found, store, io, flags);
    const removed = await io.interruptible((signal) =>
      withStoreAdmin(flags, io, (admin) => removeTargets(admin, target, found, io, signal)),
    );
    const isShown = !flags.yes && io.stdout.isTerminal;
    if (!isShown) await this.print(await renderTargets(removed));
    this.logToStderr(`Removed ${counted(removed.length, 'connector')} from the store ${store}.`);
    const left = found.length - removed.length;
    if (left > 0)
      this.logToStderr(`Not removed: ${left}, because of a heartbeat or another process.`);
    return {connectors: removed, unknown};
  }
}
