import {removalBatch} from '../../domain/removal.js';
import {AppError} from '../../errors.js';
import type {ConnectorInfo, Lifecycle, Place, RemovalQuery} from '../../server/keys/types.js';
import {askText} from '../terminal/prompt.js';
import {writeMessage} from '../terminal/streams.js';

/** Connectors that go without a confirmation on a terminal. */
const unconfirmed = 10;

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
 * @throws AppError `not_found` when the store has none of the ids
 */
export async function findTargets(admin: Lifecycle, target: RemovalTarget): Promise<Targets> {
  return target.ids === undefined
    ? {found: await selectAll(admin, target), unknown: []}
    : findAll(admin, target.ids);
}

async function selectAll(admin: Lifecycle, query: RemovalQuery): Promise<readonly ConnectorInfo[]> {
  const found: ConnectorInfo[] = [];
  let place: Place | null = null;
  do {
    const page: Awaited<ReturnType<Lifecycle['select']>> = await admin.select(query, place);
    found.push(...page.connectors);
    place = page.next;
  } while (place !== null);
  return found;
}

async function findAll(admin: Lifecycle, ids: readonly string[]): Promise<Targets> {
  const found = new Map<string, ConnectorInfo>();
  for (const batch of batchesOfIds(ids)) {
    for (const connector of await admin.find(batch)) found.set(connector.id, connector);
  }
  const unknown = ids.filter((id) => !found.has(id));
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

/** Makes the user type how many connectors go. @throws AppError `cancelled` on Ctrl-C */
export async function confirmRemoval(count: number, location: string): Promise<void> {
  if (count <= unconfirmed) return;
  const question = `Type ${count} to remove ${count} connectors from ${location}:`;
  await askText(
    question,
    '',
    (text) => text.trim() === String(count) || `Type ${count}, or Ctrl-C.`,
  );
}

/**
 * Removes connectors that were found, batch after batch. One that has sent a heartbeat in the meantime stays, if the
 * target requires silence.
 *
 * @param signal stops before the next batch
 * @returns those that were removed
 */
export async function removeTargets(
  admin: Lifecycle,
  target: RemovalTarget,
  found: readonly ConnectorInfo[],
  signal: AbortSignal,
): Promise<readonly ConnectorInfo[]> {
  const silentFor = target.ids === undefined ? target.silentFor : undefined;
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
