import {isId} from '../../domain/ids.js';
import {ProblemError} from '../http/problems.js';

/** An opaque cursor for the last connector of a page. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/**
 * The id of a cursor, after which the next page begins.
 *
 * @throws ProblemError `request_invalid` unless `encodeCursor` created the cursor
 */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (isId('con', id) && encodeCursor(id) === cursor) return id;
  throw new ProblemError('request_invalid', {
    detail: 'The query is not valid.',
    errors: [{path: '/cursor', message: 'Not a cursor of this service'}],
  });
}
