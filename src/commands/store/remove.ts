import {Args, Flags} from '@oclif/core';
import {BaseCommand} from '../../cli/command/base-command.js';
import {readIds} from '../../cli/connectors/ids.js';
import {
  durationFlag,
  inputFlags,
  namesFlag,
  outputFlags,
  storeFlags,
  textFlag,
} from '../../cli/flags.js';
import {withStoreAdmin} from '../../cli/store/admin.js';
import {
  type ConnectorJson,
  connectorJson,
  connectorReading,
} from '../../cli/store/connector-json.js';
import {
  confirmRemoval,
  findTargets,
  notInStore,
  readTarget,
  removeTargets,
} from '../../cli/store/removal.js';
import {canPrompt} from '../../cli/terminal/capabilities.js';
import {runInterruptible} from '../../cli/terminal/signals.js';
import {batched} from '../../domain/batches.js';

interface RemovalJson {
  /** False for a preview. */
  readonly removed: boolean;
  readonly connectors: readonly ConnectorJson[];
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
    'Shows which connectors would go, and removes them with --yes; more than ten need a confirmation on a terminal. A running service stops accepting them immediately, and their activation tokens can never be used again. Cannot be undone: such a machine needs a new token, and gets a new id. Connectors that never sent a heartbeat go only by their id or name.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --yes',
    '<%= config.bin %> <%= command.id %> --offline-since 30d',
    "<%= config.bin %> <%= command.id %> --name 'runner-*' --offline-since 1d --yes",
  ];

  static override flags = {
    name: namesFlag(),
    'offline-since': durationFlag({
      description: 'only connectors that sent heartbeats, the last of them longer ago',
    }),
    organization: textFlag({
      aliases: ['org'],
      description: 'only connectors of this organization (default: of all)',
      helpValue: 'NAME',
    }),
    output: outputFlags.output,
    ...storeFlags,
    yes: Flags.boolean({description: 'remove them'}),
    ...inputFlags,
  };

  static override hiddenAliases = ['store:rm'];

  static override summary = 'Remove connectors from the store of the reference service';

  async run(): Promise<RemovalJson> {
    const {args, flags} = await this.parse(StoreRemove);
    const target = readTarget(args.id && (await readIds(args.id)), flags);
    const location = this.storeLocation(flags);
    const {found, unknown} = await withStoreAdmin(location, (admin) => findTargets(admin, target));
    if (unknown.length > 0) this.logToStderr(notInStore(unknown));
    if (!flags.yes || found.length === 0) {
      await this.#show([...found]);
      this.logToStderr(
        found.length === 0
          ? 'No connector matches; nothing was removed.'
          : `${count(found)} would be removed; nothing was. To remove: repeat with --yes.`,
      );
      return {removed: false, connectors: found.map(connectorJson), unknown};
    }
    // The store is closed meanwhile, so that a service can start.
    if (canPrompt(flags['no-input'])) await confirmRemoval(found.length, location);
    const removed = await runInterruptible((signal) =>
      withStoreAdmin(location, (admin) => removeTargets(admin, target, found, signal)),
    );
    await this.#show([...removed]);
    this.logToStderr(`Removed ${count(removed)} from the store ${location}.`);
    const left = found.length - removed.length;
    if (left > 0) this.logToStderr(`${left} not: a heartbeat came, or another process removed it.`);
    return {removed: true, connectors: removed.map(connectorJson), unknown};
  }

  async #show(connectors: Parameters<typeof connectorReading>[0][]): Promise<void> {
    const {output} = this.commandLine.flags;
    const renderer = await this.renderer({output});
    const readings = connectors.map(connectorReading);
    async function* batches() {
      if (readings.length > 0) yield readings;
    }
    for await (const text of renderer.list(batched(batches()))) await this.print(text);
  }
}

const count = ({length}: readonly unknown[]) => `${length} connector${length === 1 ? '' : 's'}`;
