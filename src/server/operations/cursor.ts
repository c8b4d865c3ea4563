import {isId} from '../../domain/ids.js';
import {ProblemError} from '../http/problems.js';

/** Where a page of the list ended, as an opaque text. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/**
 * The id after which the next page begins.
 *
 * @throws ProblemError `request_invalid` unless the text is one that `encodeCursor` made.
 */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (isId('con', id) && encodeCursor(id) === cursor) return id;
  throw new ProblemError('request_invalid', {
    detail: 'The query was refused.',
    errors: [{path: '/cursor', message: 'Not a cursor that this service made'}],
  });
}
