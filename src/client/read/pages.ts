import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {connectorField, connectorIn} from './connector.js';
import {parseJsonOrUndefined} from './json.js';

/** The list in a response. */
export interface List {
  /** The path of the list: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around the list, the outermost first. They describe the page. */
  readonly around: readonly JsonObject[];
}

/** One page of a list, and the response that it is in. */
export interface ListPage {
  readonly response: ResponseHead;
  readonly list: List;
}

/** The maximum number of consecutive empty pages. */
const mostEmptyPages = 100;

/**
 * The pages of a list, in turn. A page with the same address or the same first connector as an earlier one
 * ends the list with an error.
 *
 * @param request requests one page
 */
export async function* pagesOf<Page extends ListPage>(
  context: CallContext,
  first: URL,
  request: (url: URL) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  const refuseRepeated = (mark: string) => {
    if (seen.has(mark))
      throw protocolError(context, 'it repeats a page', undefined, 'list-incomplete');
    seen.add(mark);
  };
  let url: URL | undefined = first;
  let received = 0;
  let emptyPages = 0;
  for (let pages = 1; url !== undefined; pages += 1) {
    refuseRepeated(url.href);
    const page: Page = await request(url);
    const {elements} = page.list;
    const connector = connectorIn(elements[0] ?? null);
    if (connector) refuseRepeated(`first ${connectorField.id.read(connector)}`);
    emptyPages = elements.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages) {
      throw protocolError(context, 'its pages are empty and never end');
    }
    yield page;
    received += elements.length;
    url = nextPage(context, {...page, first, pages, received});
  }
}

/**
 * The meaning of fields and headers about the pages of a list, by the letters of their names: in lower case, without a
 * namespace (`@odata.`, `hydra:`, `X-`). Only what services document for this purpose counts: a number with
 * another name, such as a quota, is never a reason to doubt that the list is whole.
 */
const signs = {
  /** The address of the next page, or a value that leads to it; `Link`. */
  next: /^next(page|records)?(link|url|uri|href|cursor|token|marker|key|offset)?$|^continu(ation(token)?|e)$|^link$/,
  /** A cursor that leads to the next page if there is one. */
  cursor: /^(end|last)?cursor$/,
  /** Whether another page follows. */
  more: /^(has)?more(pages|items|results|records|available)?$|^hasnext(page)?$|^(is)?truncated$/,
  page: /^(current)?page(number|index)?$|^number$/,
  /** The number of pages. */
  pages: /^((total|num|number)(of)?)?pages(count|total)?$|^(last|max)page$|^(total)?pagecount$/,
  /** Number of connectors before this page. */
  offset: /^(offset|skip|startat)$/,
  limit: /^limit$/,
  /** The number of connectors on all pages; `Content-Range`. */
  total:
    /^total(count|number|size|items|results|records|elements|entries|rows|hits|connectors)?$|^contentrange$/,
  /** The number of connectors, of this page or of all. */
  count: /^count$/,
  /** An object beside a list that describes its pages. */
  description:
    /^(pag(e|er|es|ing|ination|inator)|cursors?|((list|response)?meta(data)?)|(page|result|cursor)?info|pagecontext|links?|view)$/,
} as const;

/** A field beside a list, or a header. */
interface Field {
  /** The name without its namespace. */
  readonly name: string;
  /** The letters of the name, in lower case. */
  readonly letters: string;
  readonly value: Json;
}

/** The fields of an object, and those of the descriptions of pages in it. */
function fieldsIn(object: Partial<JsonObject>): readonly Field[] {
  const own = Object.entries(object).map(([key, value = null]) => {
    const name = key.replace(/^.*[:.@]|^x-(wp-|ms-)?/i, '');
    return {name, letters: name.toLowerCase().replace(/[^a-z]/g, ''), value};
  });
  const descriptions = own.filter(({letters}) => signs.description.test(letters));
  return [...own, ...descriptions.flatMap(({value}) => fieldsIn(described(value)))];
}

/** What a description says: an object, or `links: [{rel: "next", href: "…"}]`. */
function described(value: Json): JsonObject {
  if (Array.isArray(value)) {
    const links = value.filter(isObject);
    const isNext = (link: JsonObject) => [link['rel'] ?? link['relation']].flat().includes('next');
    return {next: links.find(isNext) ?? null};
  }
  return isObject(value) ? value : {};
}

/** The target of the link with the relation `next` in a `Link` header (RFC 8288 §3); null without one. */
function nextLink(header: string): string | null {
  const links = header
    .split(/,\s*(?=<)/)
    .map((link) => /<([^>]*)>.*?;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/is.exec(link));
  const next = links.find((link) => /(^|\s)next($|\s)/i.test(link?.[2] ?? link?.[3] ?? ''));
  return next?.[1] ?? null;
}

/** A whole number of 0 or more: `25`, `"25"`, `{"value": 25}`, or the total in `items 0-9/25` (RFC 9110 §14.4). */
function readCount(value: Json): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const text = readLabel(value)?.trim() ?? '';
  const digits = /^(?:(?!bytes\b)\S+ )?(?:\d+-\d+|\*)\/(\d+)$|^(\d+)$/.exec(text);
  return digits === null ? undefined : Number(digits[1] ?? digits[2]);
}

/** A cursor, or the address of the next page. */
function readLead(value: Json): string | undefined {
  if (isObject(value)) return firstValue(value, ['href', 'url', 'link', 'uri'], readText);
  return typeof value === 'number' && value <= 0 ? undefined : readLabel(value);
}

/** What a response says about the pages of its list. */
function signsOf({response: {headers}, list}: ListPage) {
  // Some services put an object into a header.
  const values = Object.entries(headers).map(([name, text = '']): [string, Json] => {
    return [name, text.startsWith('{') ? (parseJsonOrUndefined(text) ?? text) : text];
  });
  const head = {...Object.fromEntries(values), link: nextLink(headers['link'] ?? '')};
  const fields = [...list.around, head].flatMap(fieldsIn);
  const of = <T>(sign: keyof typeof signs, read: (value: Json) => T | undefined) =>
    fields.flatMap((field) => {
      const meaning = signs[sign].test(field.letters) ? read(field.value) : undefined;
      return meaning === undefined ? [] : [{...field, meaning}];
    });
  /** The greatest number of a sign; -1 without one. */
  const most = (sign: keyof typeof signs) =>
    Math.max(-1, ...of(sign, readCount).map(({meaning}) => meaning));
  const more = of('more', String).map(({meaning}) => meaning);
  /** Whether another page follows; undefined where the response does not say. */
  const hasMore = more.includes('true') || (more.includes('false') ? false : undefined);
  return {of, most, hasMore};
}
type Signs = ReturnType<typeof signsOf>;

/** The pages of a list that were read so far, and the last of them. */
interface Progress extends ListPage {
  /** The address of the first page; a page by cursor, number or offset has its parameters too. */
  readonly first: URL;
  readonly pages: number;
  /** Number of connectors on these pages. */
  readonly received: number;
}

/**
 * The address of the next page of a list: the URL of a link, or the first page's with a cursor, a page number or an
 * offset as a query parameter; undefined after the last page.
 *
 * @throws AppError of kind `protocol` when connectors are missing without a way to read them
 */
function nextPage(context: CallContext, progress: Progress): URL | undefined {
  const {pages, received, response} = progress;
  const said = signsOf(progress);
  const total = said.most('total');
  const all = Math.max(total, said.most('count'));
  // A `page_count` may count the connectors on the page, so a total decides.
  const isLast = pages >= said.most('pages') || (total > 0 && received >= total);
  const isPart = response.status === 206 && all < 0 && pages === 1;
  const unread = said.of('next', (value) =>
    isObject(value) ? Object.values(value).find((one) => one && one !== true) : undefined,
  );
  const hasMore = said.hasMore ?? (received < all || !isLast || isPart || unread.length > 0);
  if (said.hasMore !== false) {
    const url = linkedPage(context, said, progress) ?? (hasMore && countedPage(said, progress));
    if (url) return url;
  }
  if (received >= all && !hasMore) return undefined;
  const violation =
    received < all
      ? `it ends after ${received} of ${all} connectors`
      : 'it announces more connectors, but not how to request them';
  throw protocolError(context, violation, undefined, 'list-incomplete');
}

/** The page that a link or else a cursor leads to. */
function linkedPage(context: CallContext, said: Signs, page: Progress): URL | undefined {
  const next = said.of('next', readLead);
  const link = next.find(
    ({letters, value, meaning}) =>
      isObject(value) ||
      /(link|url|uri|href)$/.test(letters) ||
      /^(https?:\/\/|[/?])/i.test(meaning),
  );
  if (link === undefined) {
    const [cursor] = said.hasMore ? [...next, ...said.of('cursor', readLead)] : next;
    return cursor && withParameter(page, cursor, cursor.meaning);
  }
  const base = page.response.url;
  const url = URL.canParse(link.meaning, base.href) ? new URL(link.meaning, base) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw protocolError(context, 'the address of its next page is not a URL');
}

/** The next page by number or offset. */
function countedPage(said: Signs, page: Progress): URL | undefined {
  const size = page.list.elements.length;
  if (size === 0) return undefined;
  const [number] = said.of('page', readCount);
  if (number) return withParameter(page, number, number.meaning + 1);
  const [offset] = said.of('offset', readCount);
  const url = offset && withParameter(page, offset, offset.meaning + size);
  const limit = said.most('limit');
  if (limit > 0) url?.searchParams.set('limit', String(limit));
  return url;
}

/** Names whose query parameter is neither the name itself nor its part after `next`. */
const parameters: Readonly<Record<string, string>> = {
  next: 'cursor',
  endcursor: 'after',
  lastcursor: 'after',
  number: 'page',
};

/** The first page's address with the value of a field as a query parameter: `page_token` for `next_page_token`. */
function withParameter({first}: Progress, {name, letters}: Field, value: string | number): URL {
  const own = name.replace(/^(?:current|next)[-_]?(?!token$|[-_]|$)(.)/i, (_, letter: string) =>
    letter.toLowerCase(),
  );
  const url = new URL(first);
  url.searchParams.set(parameters[letters] ?? own.replaceAll('-', '_'), String(value));
  return url;
}
