import {readingOf} from '../client/read/connector.js';
import type {Client} from '../client/types.js';
import {refuseSecret} from '../domain/secret.js';
import {firstOf} from '../domain/words.js';
import {AppError} from '../errors.js';
import {shownWord} from '../terminal/notices.js';

// Handles what users write in place of a connector's id: a secret, a path or a name.

/** Matches paths and names of JSON files. No known service has such ids. */
const pathForm = /^(?:~|\.{1,2})?\/|\.json$/;

/** Matches ids of the reference service, numbers and UUIDs, which are never looked up as names. */
const idForm = /^con_|^\d+$|^[\da-f-]{32,}$/i;

/** Reasons of errors that a name instead of an id may cause: no such id, or an id in another form. */
const unknownReasons: ReadonlySet<string | undefined> = new Set([
  'connector-unknown',
  'request-rejected',
]);

/** Maximum number of ids that an error names. */
const shownIds = 5;

/**
 * Refuses a word that is certainly no id.
 *
 * @param takesFile whether the command has --credentials-file
 * @throws AppError `usage` for a secret, a line break, or the path of a file
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

/**
 * Runs `work`, which changes nothing, with an id. If the service has no such connector, it runs with the only one of
 * that name which is not revoked.
 *
 * @param onName called with the id of that connector before `work` runs with it
 * @throws AppError as `work` does, and `not_found` for a name that several connectors have
 */
export async function withIdOrName<T>(
  word: string,
  client: Pick<Client, 'listConnectors'>,
  work: (id: string) => Promise<T>,
  onName: (id: string) => void,
): Promise<T> {
  try {
    return await work(word);
  } catch (error) {
    const isUnknown = error instanceof AppError && unknownReasons.has(error.reason);
    if (!isUnknown || idForm.test(word)) throw error;
    const connectors = await client
      .listConnectors()
      .all()
      .catch(() => []);
    const [one, ...others] = connectors
      .map(readingOf)
      .filter(({name, status}) => name === word && status?.toLowerCase() !== 'revoked')
      .map(({id}) => id);
    if (one === undefined) throw error;
    if (others.length > 0) {
      throw new AppError('not_found', `Several connectors are named ${word}.`, {
        hint: `Write the id of one of them: ${firstOf([one, ...others], shownIds).join(' ')}`,
      });
    }
    onName(one);
    return work(one);
  }
}
