import {readingOf} from '../client/read/connector.js';
import type {Client, ConnectorReading} from '../client/types.js';
import {limits} from '../contract/limits.js';
import type {JsonObject} from '../domain/json.js';
import {refuseSecret} from '../domain/misplaced-secret.js';
import {AppError} from '../errors.js';
import {shownWord} from '../terminal/notices.js';

/** Words that people write in place of a connector's id, and each command's answer: a secret, a path, a name. */

/** Words that no service has as ids. */
const pathForm = /^(?:~|\.{1,2})?\/|\.json$/;

/** Ids of the reference service, numbers and UUIDs, which are never looked up as names. */
const idForm = /^(?:con|key)_|^\d+$|^[\da-f-]{32,}$/i;

/** Refusals that a name may cause: the store or the service has no such id, or the service expects another form. */
const unknownReasons: ReadonlySet<string | undefined> = new Set([
  'connector-unknown',
  'connector-not-in-store',
  'key-not-in-store',
  'request-rejected',
]);

/** Maximum number of ids that an error names. */
const shownIds = 5;

/**
 * Refuses a word that is certainly no id.
 *
 * @param takesFile whether the command has --credentials-file
 * @throws AppError `usage` for a secret, and for the path of a file
 */
export function requireId(word: string, takesFile = false): void {
  refuseSecret(word, "a connector's id", 'See the ids with: connectorctl connector list');
  if (/[\r\n]/.test(word)) {
    throw new AppError('usage', 'That is not one id: it has a line break.', {
      hint: 'Pass one id, without a line break.',
    });
  }
  if (!pathForm.test(word)) return;
  const path = shownWord(word);
  throw new AppError('usage', `That is the path of a file, not a connector's id: ${word}`, {
    hint: takesFile
      ? `Write: --credentials-file ${path}`
      : `A credentials file has the id: jq -r .connector_id ${path}`,
  });
}

/** A connector that was found by its name. */
type Named = Pick<ConnectorReading, 'id'> & Partial<Pick<ConnectorReading, 'status'>>;

/** Finds the connectors with a name. */
export type FindByName = (name: string) => Promise<readonly Named[]>;

/** The connectors of which a word is the name and not the id; none when the search fails. */
async function namedBy(word: string, find: FindByName): Promise<readonly Named[]> {
  if (idForm.test(word) || word.length > limits.nameLength) return [];
  return find(word).catch(() => []);
}

/**
 * The error for a word that is the name of connectors and not the id of one.
 *
 * @returns undefined when no connector has that name, or the search fails
 */
export async function nameAsId(word: string, find: FindByName): Promise<AppError | undefined> {
  return nameError(word, await namedBy(word, find));
}

function nameError(word: string, named: readonly Named[]): AppError | undefined {
  const ids = named.map(({id}) => id);
  const [id] = ids;
  if (id === undefined) return undefined;
  const more = ids.length > shownIds ? ' …' : '';
  return new AppError('not_found', `That is the name of a connector, not an id: ${word}`, {
    hint:
      ids.length === 1
        ? `Write its id: ${id}`
        : `Write the id of one of them: ${ids.slice(0, shownIds).join(' ')}${more}`,
  });
}

/**
 * Runs `work` with an id. If the id is unknown but the name of a connector, the error says so.
 *
 * @param onName where `work` changes nothing: it runs with the only connector of that name that is not revoked, after
 * this call
 */
export async function withId<T>(
  id: string,
  find: FindByName,
  work: (id: string) => Promise<T>,
  onName?: (id: string) => void,
): Promise<T> {
  try {
    return await work(id);
  } catch (error) {
    if (!(error instanceof AppError) || !unknownReasons.has(error.reason)) throw error;
    const named = await namedBy(id, find);
    const [one, other] = named.filter(({status}) => status?.toLowerCase() !== 'revoked');
    if (!onName || !one || other) throw nameError(id, named) ?? error;
    onName(one.id);
    return work(one.id);
  }
}

/** Finds names among the connectors of a service, which are read once. @param signal aborts the reading */
export function namesOfService(
  client: Pick<Client, 'listConnectors'>,
  signal?: AbortSignal,
): FindByName {
  let reading: Promise<readonly JsonObject[]> | undefined;
  return async (name) => {
    reading ??= client.listConnectors({signal}).all();
    return (await reading).map(readingOf).filter((one) => one.name === name);
  };
}
