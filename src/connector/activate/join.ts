import {checksum, holdsJoinWord, joinPrefix} from '../../domain/secret.js';
import {AppError} from '../../errors.js';

/** What a person needs to activate a connector on a machine. */
interface Invitation {
  /** The base URL of the service; undefined for a token alone. */
  readonly baseUrl: string | undefined;
  readonly token: string;
}

const checksumLength = 6;

/**
 * One word for an address and an activation token. Chat programs do not turn it into a link, and its checksum reveals a
 * copying mistake before any request.
 *
 *     join_ base64url of the base URL, a line feed and the token  6 characters of base64url
 *                                                                 └ CRC-32 of everything before it
 */
export function joinWord(baseUrl: string, token: string): string {
  const text = joinPrefix + Buffer.from(`${baseUrl}\n${token}`).toString('base64url');
  return text + checksum(text);
}

/**
 * Reads a join word, also with the line breaks and blanks of a chat; any other text is a token.
 *
 * @throws AppError `usage` for a join word that is mistyped or incomplete, or has other text beside it
 */
export function readInvitation(text: string): Invitation {
  if (!holdsJoinWord(text)) return {baseUrl: undefined, token: text};
  const word = text.replace(/\s+/g, '');
  const body = word.slice(0, -checksumLength);
  const content = Buffer.from(body.slice(joinPrefix.length), 'base64url').toString();
  const [baseUrl = '', token = '', ...rest] = content.split('\n');
  if (checksum(body) === word.slice(-checksumLength) && token !== '' && rest.length === 0) {
    return {baseUrl, token};
  }
  const message =
    'The join word is mistyped or incomplete, or has other text beside it: paste the word alone.';
  throw new AppError('usage', message, {
    hint: 'Copy all of it again, and nothing else. Nothing was sent; its token is still valid.',
  });
}
