import {requireId} from '../connector/id-words.js';
import {batchesOf} from '../domain/batches.js';
import {removalBatch} from '../domain/removal.js';
import {counted, figure, firstOf} from '../domain/words.js';
import {AppError} from '../errors.js';
import type {ConnectorInfo, ConnectorRules, StoreAdmin} from '../server/admin/admin.js';
import type {Io} from '../terminal/io.js';
import {askYesNo} from '../terminal/prompt.js';
import {renderGrid} from '../terminal/table/grid.js';
import {readUserText} from '../terminal/user-text.js';

/** Maximum number of unknown ids that a message names. */
const named = 5;

/** The connectors to remove: those with these ids, or those that match every rule. */
interface RemovalTarget extends ConnectorRules {
  readonly ids?: readonly string[] | undefined;
  readonly organization?: string | undefined;
}

/**
 * The distinct ids among the arguments of a command; `-` stands for the ids on stdin, separated by white space.
 *
 * @throws AppError `usage` when stdin cannot be read, or an id is a secret or a path
 */
export async function idsIn(words: readonly string[]): Promise<readonly string[]> {
  const what = 'the ids';
  const hint = 'Pipe them in: connectorctl connector list -o id | connectorctl store remove -';
  const piped = words.includes('-') ? await readUserText({path: '-', what, hint}) : '';
  const onStdin = piped.split(/\s+/).filter((word) => word !== '');
  const ids = new Set(words.flatMap((word) => (word === '-' ? onStdin : [word])));
  for (const id of ids) requireId(id);
  return [...ids];
}

/**
 * Finds the connectors to remove.
 *
 * @returns also the ids that the store does not have, perhaps because they are removed already
 * @throws AppError `not_found` if the store has none of the ids
 */
export async function findTargets(admin: StoreAdmin, {ids, organization, ...rules}: RemovalTarget) {
  if (ids === undefined) return {found: await selectAll(admin, rules, organization), unknown: []};
  const found: ConnectorInfo[] = [];
  for (const batch of batchesOf(ids, removalBatch)) found.push(...(await admin.find(batch)));
  const known = new Set(found.map(({id}) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (found.length === 0 && unknown.length > 0) {
    throw new AppError('not_found', notInStore(unknown), {
      hint: 'They may have been removed already. If they are in another store, name it with --store.',
    });
  }
  return {found, unknown};
}

/** The connectors that match the rules: of one organization, or of all. */
async function selectAll(
  admin: StoreAdmin,
  rules: ConnectorRules,
  organization?: string,
): Promise<readonly ConnectorInfo[]> {
  // Each organization has an API key, at least a revoked one.
  const all = organization === undefined ? await admin.list() : [{organization}];
  const found: ConnectorInfo[] = [];
  for (const one of [...new Set(all.map((key) => key.organization))].sort()) {
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<StoreAdmin['select']>> = await admin.select(one, rules, after);
      found.push(...page.connectors);
      after = page.next;
    }
  }
  return found;
}

/** Refuses a command line that selects nothing or too much. @throws AppError `usage` */
export function requireTarget({ids, names, silentFor, organization}: RemovalTarget): void {
  const hasRule = names !== undefined || silentFor !== undefined;
  if (ids === undefined ? hasRule : !hasRule && organization === undefined) return;
  throw new AppError('usage', 'Select connectors by ids, or by --offline-since, --name or both.', {
    hint: 'See: connectorctl store remove --help',
  });
}

/** A sentence about ids that a store does not have. */
export function notInStore(unknown: readonly string[]): string {
  return `Not in this store: ${firstOf(unknown, named).join(', ')}.`;
}

/**
 * Lists the connectors to remove on stderr and asks for confirmation; does neither with --yes.
 *
 * @param store as `shownStore` returns it
 * @throws AppError `usage` when no prompt is possible; `usage` without `--all-organizations` for connectors of several
 *   organizations, which a pattern may match by mistake; `cancelled` for any answer except yes
 */
export async function approveRemoval(
  found: readonly ConnectorInfo[],
  store: string,
  io: Io,
  flags: {readonly yes: boolean; readonly 'all-organizations': boolean},
): Promise<void> {
  if (!flags.yes) io.error((await renderTargets(found)).trimEnd());
  const [organization, ...others] = new Set(found.map((one) => one.organization));
  if (others.length > 0 && !flags['all-organizations']) {
    const message = `These are connectors of ${others.length + 1} organizations; nothing was removed.`;
    throw new AppError('usage', message, {
      hint: `Name one, such as --organization ${organization}, or pass --all-organizations.`,
    });
  }
  if (flags.yes) return;
  const connectors = counted(found.length, 'connector');
  if (!io.canPrompt) {
    throw new AppError('usage', `${connectors} would be removed; nothing was.`, {
      hint: 'To remove them, repeat with --yes.',
    });
  }
  if (await askYesNo(io, `Remove ${connectors} from ${store}?`, {usual: false})) return;
  throw new AppError('cancelled', 'Nothing was removed.');
}

/** A table with the fields that distinguish connectors with the same name, and show which machines are gone. */
export function renderTargets(found: readonly ConnectorInfo[]): Promise<string> {
  const rows = found.map((one) => [
    one.id,
    one.name,
    one.organization,
    one.last_heartbeat_at ?? 'never',
  ]);
  const head = ['ID', 'NAME', 'ORGANIZATION', 'LAST HEARTBEAT'];
  return renderGrid(head, rows);
}

/**
 * Removes the found connectors in batches. With `silentFor`, a connector that has sent a heartbeat in the meantime
 * stays.
 *
 * @param signal stops before the next batch
 * @returns the removed connectors
 */
export async function removeTargets(
  admin: StoreAdmin,
  {silentFor = null}: {readonly silentFor?: number | null | undefined},
  found: readonly ConnectorInfo[],
  io: Io,
  signal: AbortSignal,
): Promise<readonly ConnectorInfo[]> {
  const removed: ConnectorInfo[] = [];
  try {
    const ids = found.map(({id}) => id);
    for (const batch of batchesOf(ids, removalBatch)) {
      signal.throwIfAborted();
      removed.push(...(await admin.remove(batch, silentFor)));
    }
  } catch (error) {
    io.note(`Removed ${figure(removed.length)} of ${counted(found.length, 'connector')}.`);
    throw error;
  }
  return removed;
}
