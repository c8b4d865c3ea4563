import {nameAsId} from '../connector/id-words.js';
import {removalBatch} from '../domain/removal.js';
import {AppError} from '../errors.js';
import type {ConnectorInfo, RemovalQuery, StoreAdmin} from '../server/admin/types.js';
import {terminalWidth} from '../terminal/capabilities.js';
import {askYesNo} from '../terminal/prompt.js';
import {writeError, writeMessage} from '../terminal/streams.js';
import {renderGrid} from '../terminal/table/grid.js';
import {connectorJson} from './connector-json.js';
import {namesOfStore, selectAll} from './find.js';

/** Unknown ids that a message names. */
const named = 5;

/** Which connectors to remove: those with these ids, or those that fulfill every rule. */
export type RemovalTarget =
  | {readonly ids: readonly string[]}
  | (RemovalQuery & {readonly ids?: undefined});

/**
 * Reads what a command line selects.
 *
 * @param ids undefined without any
 * @throws AppError `usage` for nothing, or for ids together with rules
 */
export function readTarget(
  ids: readonly string[] | undefined,
  {
    name: names,
    'offline-since': silentFor,
    organization,
  }: {
    readonly name?: readonly string[] | undefined;
    readonly 'offline-since'?: number | undefined;
    readonly organization?: string | undefined;
  },
): RemovalTarget {
  const hasRule = names !== undefined || silentFor !== undefined;
  if (ids === undefined && hasRule) return {names, silentFor, organization};
  if (ids !== undefined && !hasRule && organization === undefined) return {ids};
  throw new AppError('usage', 'Select connectors by ids, or by --offline-since, --name or both.', {
    hint: 'See: connectorctl store remove --help',
  });
}

/** What a store has of a target. */
interface Targets {
  readonly found: readonly ConnectorInfo[];
  /** Ids that it does not have: they may be removed already. */
  readonly unknown: readonly string[];
}

/**
 * Finds the connectors to remove.
 *
 * @throws AppError `not_found` for a name in place of an id, and when the store has none of the ids
 */
export async function findTargets(admin: StoreAdmin, target: RemovalTarget): Promise<Targets> {
  return target.ids === undefined
    ? {found: await selectAll(admin, target), unknown: []}
    : findAll(admin, target.ids);
}

async function findAll(admin: StoreAdmin, ids: readonly string[]): Promise<Targets> {
  const found = new Map<string, ConnectorInfo>();
  for (const batch of batchesOfIds(ids)) {
    for (const connector of await admin.find(batch)) found.set(connector.id, connector);
  }
  const unknown = ids.filter((id) => !found.has(id));
  const names = namesOfStore(admin);
  for (const word of unknown) {
    const error = await nameAsId(word, names);
    if (error !== undefined) throw error;
  }
  if (found.size === 0 && unknown.length > 0) {
    throw new AppError('not_found', notInStore(unknown), {
      hint: 'They may be removed already. Or name another store with --store.',
    });
  }
  return {found: [...found.values()], unknown};
}

/** A sentence about ids that a store does not have. */
export function notInStore(unknown: readonly string[]): string {
  const more = unknown.length > named ? `, and ${unknown.length - named} more` : '';
  return `Not in this store: ${unknown.slice(0, named).join(', ')}${more}.`;
}

/**
 * Shows on stderr what would go, and asks; neither with --yes.
 *
 * @throws AppError `usage` where nobody can be asked, and for connectors of several organizations, which a pattern may
 *   match by mistake; `cancelled` for any answer but yes
 */
export async function approveRemoval(
  found: readonly ConnectorInfo[],
  location: string,
  {
    isApproved,
    isJson,
    mayAsk,
    reachesAll,
  }: {
    readonly isApproved: boolean;
    readonly isJson: boolean;
    readonly mayAsk: boolean;
    readonly reachesAll: boolean;
  },
): Promise<void> {
  if (!isApproved && (mayAsk || !isJson)) writeError(await table(found));
  const [organization, ...others] = new Set(found.map((one) => one.organization));
  if (others.length > 0 && !reachesAll) {
    const message = `These are connectors of ${others.length + 1} organizations; nothing was removed.`;
    throw new AppError('usage', message, {
      hint: `Name one, such as --organization ${organization}, or pass --all-organizations.`,
    });
  }
  if (isApproved) return;
  if (!mayAsk) {
    throw new AppError('usage', `${counted(found)} would be removed; nothing was.`, {
      hint: 'To remove without a question: repeat with --yes.',
    });
  }
  if (await askYesNo(`Remove ${counted(found)} from ${location}?`, {usual: false})) return;
  throw new AppError('cancelled', 'Nothing was removed.');
}

/** With what tells two connectors of one name apart, and a machine that is gone from one that is not. */
async function table(found: readonly ConnectorInfo[]): Promise<string> {
  const rows = found
    .map(connectorJson)
    .map((one) => [one.id, one.name, one.organization, one.last_heartbeat_at ?? 'never']);
  const head = ['ID', 'NAME', 'ORGANIZATION', 'LAST HEARTBEAT'];
  return (await renderGrid(head, rows, terminalWidth())).trimEnd();
}

/** A number of connectors, in words. */
export const counted = ({length}: readonly unknown[]): string =>
  `${length} connector${length === 1 ? '' : 's'}`;

/**
 * Removes connectors that were found, batch after batch. One that has sent a heartbeat in the meantime stays, if the
 * target requires silence.
 *
 * @param signal stops before the next batch
 * @returns those that were removed
 */
export async function removeTargets(
  admin: StoreAdmin,
  target: RemovalTarget,
  found: readonly ConnectorInfo[],
  signal: AbortSignal,
): Promise<readonly ConnectorInfo[]> {
  const silentFor = (target.ids === undefined ? target.silentFor : undefined) ?? null;
  const removed: ConnectorInfo[] = [];
  try {
    for (const batch of batchesOfIds(found.map(({id}) => id))) {
      signal.throwIfAborted();
      removed.push(...(await admin.remove(batch, silentFor)));
    }
  } catch (error) {
    writeMessage(`Removed ${removed.length} of ${found.length} connectors.`);
    throw error;
  }
  return removed;
}

function* batchesOfIds(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += removalBatch) {
    yield ids.slice(start, start + removalBatch);
  }
}
