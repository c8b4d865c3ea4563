import {headers} from '../../contract/headers.js';
import type {JsonObject} from '../../domain/json.js';
import type {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {firstValue, isObject, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {hasLinks, nextLink} from './link-header.js';
import {PagingFields, readCount} from './paging-fields.js';

/** The next page of a list. */
export interface NextPage {
  readonly url: URL;
  /** Why there may be no such page, as the end of an error; undefined when the service announces it. */
  readonly doubt: string | undefined;
}

/** Statuses of a page after the last one. */
export const noSuchPage: ReadonlySet<number> = new Set([404, 416]);

/**
 * `Content-Range: items 0-9/25` (RFC 9110 §14.4), also without its unit; a range of bytes does not count connectors.
 */
const contentRange = /^\s*(?:(?!bytes\b)\S+\s+)?(?:\d+-\d+|\*)\/(\d+|\*)\s*$/i;

/** One page as the pager sees it. */
interface Page {
  readonly response: ResponseHead;
  readonly members: JsonObject;
  readonly fields: PagingFields;
  /** The number of connectors on it. */
  readonly count: number;
  /** Whether a total says that connectors are missing. */
  readonly missing: boolean;
}

/** Finds the next page of a list, and whether the list is complete. */
export class Pager {
  readonly #context: CallContext;
  readonly #first: URL;
  #pages = 0;
  #received = 0;
  /** The last cursor that was sent. A service may repeat it in its response. */
  #cursorSent: string | undefined;
  #firstNumber = 1;

  /** @param first the address of the first page */
  constructor(context: CallContext, first: URL) {
    this.#context = context;
    this.#first = first;
  }

  /**
   * The address of the next page: `Link: rel="next"` (RFC 8288), else an address, a cursor, a page number or an
   * offset in the body or in a header. An address is relative to the page; any other value becomes a query parameter of
   * the first page's address. Without any announcement, a page that may be one of several is followed by a page that
   * may not exist: a page number, an offset, a cursor, or as many connectors as fit.
   *
   * @param members the fields beside the list in the response
   * @param count the number of connectors on the page
   * @returns undefined after the last page
   * @throws AppError of kind `protocol` when connectors are missing without a way to read them
   */
  next(response: ResponseHead, members: JsonObject, count: number): NextPage | undefined {
    this.#pages += 1;
    this.#received += count;
    const fields = new PagingFields(members, response.headers);
    const total = totalOf(response, fields);
    const missing = total !== undefined && this.#received < total;
    const page: Page = {response, members, fields, count, missing};
    const {more} = fields;
    if (this.#pages === 1) this.#firstNumber = Math.min(fields.place('page')?.value ?? 1, 1);
    const url =
      more === false
        ? undefined
        : (this.#link(page) ?? this.#cursor(page) ?? this.#place(page, more === true));
    if (url) return {url, doubt: undefined};
    if (missing) {
      throw this.incomplete(`it ends after ${this.#received} of ${total} connectors`);
    }
    const isPartial = total === undefined && this.#pages === 1 && response.status === 206;
    if (
      more ||
      isPartial ||
      (more !== false && (fields.hasUnreadableNext || this.#hasPagesLeft(page)))
    ) {
      throw this.incomplete('it announces more connectors, but not how to request them');
    }
    const isWhole = more === false || fields.ends || hasLinks(response.headers[headers.link]);
    return isWhole || count === 0 ? undefined : this.#probe(page);
  }

  /** The error for a list of which only a part can be read. */
  incomplete(violation: string): AppError {
    return protocolError(this.#context, violation, undefined, 'list-incomplete');
  }

  #link({response, members}: Page): URL | undefined {
    const link = nextLink(response.headers[headers.link]) ?? linkIn(members);
    return link === undefined ? undefined : this.#resolve(link, response.url);
  }

  #cursor({response, fields, missing}: Page): URL | undefined {
    const next = fields.next;
    if (next?.isAddress) return this.#resolve(next.value, response.url);
    if (next) return this.#with(next.parameter, next.value);
    const {cursor, more} = fields;
    return cursor && (more || missing) ? this.#with(cursor.parameter, cursor.value) : undefined;
  }

  /** The next page by number or offset, while there are more. */
  #place(page: Page, more: boolean): URL | undefined {
    const {fields, count, missing} = page;
    const number = fields.place('page');
    if (number) {
      const isAnnounced = this.#pagesLeft(page) ?? ((more || missing) && count > 0);
      return isAnnounced ? this.#with(number.parameter, number.value + 1) : undefined;
    }
    const offset = fields.place('offset');
    return offset && (more || missing) && count > 0
      ? this.#after(page, offset.parameter, offset.value + count)
      : undefined;
  }

  /** Whether a count of pages says that there are more; undefined without one. */
  #pagesLeft({fields, count}: Page): boolean | undefined {
    const last = fields.most('lastPage');
    const pages = Math.max(
      fields.most('pages') ?? 0,
      last === undefined ? 0 : last + 1 - this.#firstNumber,
    );
    const number = fields.place('page');
    const done = number === undefined ? this.#pages : number.value - this.#firstNumber + 1;
    // A `page_count` may count the connectors on the page.
    const isUnclear = pages === count && (fields.most('total') ?? 0) === this.#received;
    return pages === 0 || isUnclear ? undefined : done < pages;
  }

  #hasPagesLeft(page: Page): boolean {
    return this.#pagesLeft(page) === true;
  }

  /** The page after one that looks like one of several. */
  #probe(page: Page): NextPage | undefined {
    const {fields, count} = page;
    const total = fields.most('total');
    if (this.#pagesLeft(page) === false || (total !== undefined && total <= this.#received))
      return undefined;
    const size = fields.place('size');
    if (size !== undefined && count < size.value) return undefined;
    const number = fields.place('page');
    const offset = fields.place('offset');
    const cursor = fields.cursor;
    const doubt = (sign: string) =>
      `${sign} looks like a part of it, and another page cannot be read`;
    if (number && number.value - this.#firstNumber + 1 === this.#pages) {
      const url = this.#with(number.parameter, number.value + 1);
      return {url, doubt: doubt(`\`${number.field}\` of ${number.value}`)};
    }
    if (offset && offset.value <= this.#received) {
      const url = this.#after(page, offset.parameter, offset.value + count);
      return {url, doubt: doubt(`\`${offset.field}\` of ${offset.value}`)};
    }
    if (cursor && !cursor.isEnd && cursor.value !== this.#cursorSent) {
      this.#cursorSent = cursor.value;
      return {url: this.#with(cursor.parameter, cursor.value), doubt: doubt('a cursor')};
    }
    if (!size || size.value === 0) return undefined;
    const url = /page/i.test(size.field)
      ? this.#with('page', this.#pages + 1)
      : this.#after(page, 'offset', this.#received);
    return {url, doubt: doubt(`\`${size.field}\` of ${size.value}, as many as it sent,`)};
  }

  #after({fields}: Page, parameter: string, value: number): URL {
    const url = this.#with(parameter, value);
    const limit = fields.place('size');
    if (limit?.field === 'limit') url.searchParams.set('limit', String(limit.value));
    return url;
  }

  #with(parameter: string, value: string | number): URL {
    const url = new URL(this.#first);
    url.searchParams.set(parameter, String(value));
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

/** The address in `links: [{rel: "next", href: "…"}]`, or in an OData field. */
function linkIn(members: JsonObject, depth = 3): string | undefined {
  const links = [members['links'], members['_links'], members['link']]
    .flatMap((array) => (Array.isArray(array) ? array : []))
    .filter(isObject);
  const next = links.find(({rel, relation}) => rel === 'next' || relation === 'next');
  if (next) return firstValue(next, ['href', 'url', 'uri'], readText);
  if (depth === 0) return undefined;
  const inner = Object.values(members).filter(isObject);
  return inner.map((object) => linkIn(object, depth - 1)).find((link) => link !== undefined);
}

/** The greatest number of connectors that anything in the response gives for all pages. */
function totalOf({headers: sent}: ResponseHead, fields: PagingFields): number | undefined {
  const range = contentRange.exec(sent['content-range'] ?? '')?.[1];
  const totals = [fields.most('total'), fields.most('count'), readCount(range)];
  const known = totals.filter((total) => total !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
