import {headers} from '../contract/headers.js';
import {breach, type CallContext} from './context.js';
import {firstField, isObject, readLabel} from './fields.js';
import {nextLink} from './link-header.js';
import type {Json, JsonObject} from './types.js';
import type {AnswerHead} from './wire.js';

/** Under which names a page says where the next one is, and the query parameter that asks for it. */
const cursors = {
  next_cursor: 'cursor',
  nextCursor: 'cursor',
  next_page_token: 'page_token',
  nextPageToken: 'pageToken',
  next: 'cursor',
} as const;

export const cursorNames = Object.keys(cursors);

/** Where the cursor may be nested. */
const containers = ['pagination', 'paging', 'page_info', 'pageInfo', 'meta', 'links', '_links'];

/** Whether there is more, in words: a cursor beside `false` leads nowhere. */
export const moreNames = ['has_more', 'hasMore', 'has_next', 'hasNext'];

/** A cursor, or the address of the next page. */
function readCursor(value: Json): string | undefined {
  return isObject(value) ? firstField(value, ['href', 'url'], readLabel)?.value : readLabel(value);
}

function readBoolean(value: Json): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Finds a field at the top or in one of the containers. */
function find<T>(
  members: JsonObject,
  names: readonly string[],
  read: (value: Json) => T | undefined,
) {
  const nested = (value: Json) => (isObject(value) ? firstField(value, names, read) : undefined);
  return firstField(members, names, read) ?? firstField(members, containers, nested)?.value;
}

/** A `next` that is an address, not a cursor: absolute, or relative to the page. */
function isAddress(value: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(value);
}

/**
 * Where the next page is (design §3): `Link: rel="next"` (RFC 8288), else a cursor in the body. An
 * address is taken as it is, relative to the page; a cursor becomes a query parameter of the first
 * page's address, named after the field that held it.
 *
 * @param members what stands beside the list in the answer
 * @returns undefined after the last page
 * @throws AppError of kind `protocol` when there is more, but no way to it.
 */
export function nextPage(
  context: CallContext,
  first: URL,
  answer: AnswerHead,
  members: JsonObject,
): URL | undefined {
  const more = find(members, moreNames, readBoolean)?.value;
  if (more === false) return undefined;
  const link = nextLink(answer.headers[headers.link]);
  if (link !== undefined) return resolve(context, link, answer.url);
  const cursor = find(members, cursorNames, readCursor);
  if (!cursor) {
    if (more) throw breach(context, 'it says that there is more, but not how to ask for it');
    return undefined;
  }
  if (isAddress(cursor.value)) return resolve(context, cursor.value, answer.url);
  const url = new URL(first);
  const parameter = Object.entries(cursors).find(([name]) => name === cursor.field)?.[1];
  url.searchParams.set(parameter ?? cursors.next, cursor.value);
  return url;
}

function resolve(context: CallContext, address: string, page: URL): URL {
  if (URL.canParse(address, page.href)) {
    const url = new URL(address, page);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  throw breach(context, 'the address of its next page is not a URL');
}
