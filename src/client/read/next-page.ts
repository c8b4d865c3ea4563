import {headers} from '../../contract/headers.js';
import type {Json, JsonObject} from '../../domain/json.js';
import type {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {firstField, firstValue, isObject, names, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {nextLink} from './link-header.js';

/** Field names, each with the query parameter for its value. */
type Parameters = Readonly<Record<string, string>>;

/** Cursors to the next page. `next` may be an address too. */
const cursors: Parameters = {
  next_cursor: 'cursor',
  nextCursor: 'cursor',
  next_page_token: 'page_token',
  nextPageToken: 'pageToken',
  next_token: 'next_token',
  nextToken: 'nextToken',
  NextToken: 'NextToken',
  continuation_token: 'continuation_token',
  continuationToken: 'continuationToken',
  next_marker: 'marker',
  nextMarker: 'marker',
  NextMarker: 'marker',
  continue: 'continue',
  next_page: 'page',
  nextPage: 'page',
  next: 'cursor',
};

/** The address of the next page, absolute or relative to this one. */
const addresses = [
  '@odata.nextLink',
  'odata.nextLink',
  '@nextLink',
  'nextLink',
  'next_link',
  'next_url',
  'nextUrl',
  'next_page_url',
  'nextPageUrl',
];

/** The number of this page; `number` counts from 0, all others from 0 or 1. */
const pageNumbers: Parameters = {
  page: 'page',
  current_page: 'page',
  currentPage: 'page',
  page_number: 'page_number',
  pageNumber: 'pageNumber',
  number: 'page',
};
const pageCounts = [
  'total_pages',
  'totalPages',
  'page_count',
  'pageCount',
  'last_page',
  'lastPage',
  'pages',
];

/** How many connectors come before this page. */
const offsets: Parameters = {offset: 'offset', skip: 'skip', startAt: 'startAt'};

/** The number of connectors on all pages; `count` may be that of this page, which is never greater. */
const totals = [
  'total',
  'total_count',
  'totalCount',
  'total_items',
  'totalItems',
  'total_results',
  'totalResults',
  'total_elements',
  'totalElements',
  'total_size',
  'totalSize',
  'recordsTotal',
  '@odata.count',
  'count',
];

/** Whether there are more pages. With `false`, a cursor is ignored. */
const moreNames = [
  'has_more',
  'hasMore',
  'has_next',
  'hasNext',
  'has_next_page',
  'hasNextPage',
  'is_truncated',
  'isTruncated',
  'IsTruncated',
  'truncated',
];

/**
 * The cursor of the last edge. A list continues after it only if the response says that there are more
 * (Relay).
 */
const endCursors: Parameters = {endCursor: 'after', end_cursor: 'after'};

/** Objects that may hold these fields. */
const containers = [
  'pagination',
  'paging',
  'page_info',
  'pageInfo',
  'page',
  'meta',
  'metadata',
  'response_metadata',
  'links',
  '_links',
  ...new Set([...names.outerEnvelopes, ...names.listEnvelopes]),
];

const totalHeaders = ['x-total-count', 'x-total'];

/** `Content-Range: items 0-9/25` (RFC 9110 §14.4); a range of bytes does not count connectors. */
const contentRange = /^\s*(?!bytes\b)\S+\s+(?:\d+-\d+|\*)\/(\d+|\*)\s*$/i;

/** A cursor, or the address of the next page. */
function readCursor(value: Json): string | undefined {
  if (isObject(value)) return firstValue(value, ['href', 'url'], readLabel);
  return value === 0 ? undefined : readLabel(value);
}

function readBoolean(value: Json): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** A whole number of 0 or more; some services send it as a text. */
function readCount(value: Json | undefined): number | undefined {
  const digits = typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** A `next` that is an address, not a cursor: absolute, or relative to the page. */
function isAddress(value: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(value);
}

/** The objects that may hold the address of the next page, outer ones first. */
function scopesOf(members: JsonObject, depth = 3): readonly JsonObject[] {
  if (depth === 0) return [members];
  const inner = containers.map((name) => members[name]).filter(isObject);
  return [members, ...inner.flatMap((object) => scopesOf(object, depth - 1))];
}

/** Finds the next page of a list, and whether the list is complete. */
export class Pager {
  readonly #context: CallContext;
  readonly #first: URL;
  #pages = 0;
  #received = 0;
  #firstNumber = 1;

  /** @param first the address of the first page */
  constructor(context: CallContext, first: URL) {
    this.#context = context;
    this.#first = first;
  }

  /**
   * The address of the next page: `Link: rel="next"` (RFC 8288), else an address, a cursor, the cursor of the
   * last edge, a page number or an offset in the body. An address is relative to the page; any other value becomes a query
   * parameter of the first page's address.
   *
   * @param members the fields beside the list in the response
   * @param count the number of connectors on the page
   * @returns undefined after the last page
   * @throws AppError of kind `protocol` when connectors are missing without a way to read them
   */
  next(response: ResponseHead, members: JsonObject, count: number): URL | undefined {
    this.#pages += 1;
    this.#received += count;
    const page = new PageFields(members);
    const more = page.find(moreNames, readBoolean)?.value;
    const total = totalOf(response, page);
    const missing = total !== undefined && this.#received < total;
    const next =
      more === false
        ? undefined
        : (this.#link(response, page) ??
          this.#cursor(response, page) ??
          (more && this.#after(page)) ??
          this.#place(page, count, missing));
    if (next) return next;
    if (missing) {
      throw this.#incomplete(`it ends after ${this.#received} of ${total} connectors`);
    }
    if (more || (total === undefined && this.#pages === 1 && response.status === 206)) {
      throw this.#incomplete('it announces more connectors, but not how to request them');
    }
    return undefined;
  }

  #incomplete(violation: string): AppError {
    return protocolError(this.#context, violation, undefined, 'list-incomplete');
  }

  #link(response: ResponseHead, page: PageFields): URL | undefined {
    const link =
      nextLink(response.headers[headers.link]) ??
      page.find(addresses, readText)?.value ??
      page.link();
    return link === undefined ? undefined : this.#resolve(link, response.url);
  }

  #cursor(response: ResponseHead, page: PageFields): URL | undefined {
    const header = readText(response.headers['x-next-page'] ?? null);
    const cursor =
      page.find(Object.keys(cursors), readCursor) ??
      (header === undefined ? undefined : {field: 'next_page', value: header});
    if (!cursor) return undefined;
    if (isAddress(cursor.value)) return this.#resolve(cursor.value, response.url);
    return this.#with({[cursors[cursor.field] ?? '']: cursor.value});
  }

  #after(page: PageFields): URL | undefined {
    const cursor = page.find(Object.keys(endCursors), readCursor);
    return cursor && this.#with({[endCursors[cursor.field] ?? '']: cursor.value});
  }

  /** The next page by number or offset, while connectors are missing. */
  #place(page: PageFields, count: number, missing: boolean): URL | undefined {
    const number = page.find(Object.keys(pageNumbers), readCount);
    if (number) {
      if (this.#pages === 1) this.#firstNumber = Math.min(number.value, 1);
      const pageCount = page.find(pageCounts, readCount)?.value;
      const done = number.value - this.#firstNumber + 1;
      const hasNext = pageCount === undefined ? missing && count > 0 : done < pageCount;
      if (!hasNext) return undefined;
      return this.#with({[pageNumbers[number.field] ?? '']: String(number.value + 1)});
    }
    const offset = page.find(Object.keys(offsets), readCount);
    if (!offset || !missing || count === 0) return undefined;
    const limit = page.find(['limit'], readCount)?.value;
    return this.#with({
      [offsets[offset.field] ?? '']: String(offset.value + count),
      ...(limit === undefined ? {} : {limit: String(limit)}),
    });
  }

  #with(parameters: Parameters): URL {
    const url = new URL(this.#first);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }

  #resolve(address: string, page: URL): URL {
    if (URL.canParse(address, page.href)) {
      const url = new URL(address, page);
      if (url.protocol === 'http:' || url.protocol === 'https:') return url;
    }
    throw protocolError(this.#context, 'the address of its next page is not a URL');
  }
}

/** The fields of a page beside its list. */
class PageFields {
  readonly #scopes: readonly JsonObject[];

  constructor(members: JsonObject) {
    this.#scopes = scopesOf(members);
  }

  find<T>(fields: readonly string[], read: (value: Json) => T | undefined) {
    for (const scope of this.#scopes) {
      const found = firstField(scope, fields, read);
      if (found) return found;
    }
    return undefined;
  }

  /** The address in `links: [{rel: "next", href: "…"}]`. */
  link(): string | undefined {
    const links = this.#scopes.flatMap(({links = null}) => links).filter(isObject);
    const next = links.find(({rel}) => rel === 'next');
    return next && firstValue(next, ['href', 'url'], readText);
  }
}

function totalOf({headers: sent}: ResponseHead, page: PageFields): number | undefined {
  const range = contentRange.exec(sent['content-range'] ?? '')?.[1];
  return (
    page.find(totals, readCount)?.value ??
    totalHeaders.map((name) => readCount(sent[name])).find((value) => value !== undefined) ??
    readCount(range)
  );
}
