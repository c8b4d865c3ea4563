import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {firstValue, isObject, names, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {parseJsonOrUndefined} from './json.js';

/** The list in a response. */
export interface List {
  /** The path of the list: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around the list, the outermost first. They describe the page. */
  readonly around: readonly JsonObject[];
}

/** Arrays beside the list that are never the list. */
const besides = ['errors', 'error', 'warnings', 'messages', 'notices', 'links', '_links'];

/** The most objects around a list: `data`, `connectors` and `edges` in the body. */
const deepest = 4;

/**
 * The list in a value: the array itself, the array in a field with a known name, else the only array of objects.
 * Some services write an empty list as null.
 *
 * @returns undefined without a list; null where a field of a list has another shape, so that it never counts as
 *   an empty list beside another one
 */
function findList(
  value: Json,
  path: readonly string[] = [],
  around: readonly JsonObject[] = [],
): List | null | undefined {
  if (Array.isArray(value) || value === null) {
    return {path: path.join('.'), elements: value ?? [], around};
  }
  if (!isObject(value) || path.length === deepest) return undefined;
  const inner = (name: string) =>
    findList(value[name] ?? null, [...path, name], [...around, value]);
  const found = [...names.listEnvelopes, ...names.outerEnvelopes]
    .filter((name) => typeof (value[name] ?? undefined) === 'object')
    .map(inner)
    .find((list) => list !== undefined);
  if (found !== undefined) return found;
  const own = path.at(-1);
  if (own !== undefined && !names.outerEnvelopes.includes(own)) return null;
  const name = onlyArray(value) ?? names.listEnvelopes.find((field) => value[field] === null);
  return name === undefined ? undefined : inner(name);
}

/** The field with the only array of objects; if all arrays are empty, the field with the only one. */
function onlyArray(value: JsonObject): string | undefined {
  const arrays = Object.entries(value).filter(
    ([name, array]) => Array.isArray(array) && !besides.includes(name) && array.every(isObject),
  );
  const filled = arrays.filter(([, array]) => Array.isArray(array) && array.length > 0);
  const [only, second] = filled.length > 0 ? filled : arrays;
  return second === undefined ? only?.[0] : undefined;
}

/**
 * The list in the body of a response.
 *
 * @throws AppError for an error that the body reports, also beside a list, which is then incomplete; of kind
 *   `protocol` without a list
 */
export function readList(context: CallContext, response: ResponseHead, body?: Json): List {
  if (body === undefined) throw protocolError(context, 'it is empty');
  const reported = reportedError(body);
  if (reported) throw serviceError(context, response, reported);
  const list = findList(body);
  if (list) return list;
  const message = isObject(body) ? readMessage(body) : undefined;
  throw protocolError(context, 'it holds no list of connectors', message);
}

/**
 * The meaning of fields and headers about the pages of a list, by the letters of their names: in lower case, without a
 * namespace (`@odata.`, `hydra:`, `X-`). Only what services document for this purpose counts: a number with
 * another name, such as a quota, is never a reason to doubt that the list is whole.
 */
const signs = {
  /** The address of the next page, or a value that leads to it; `Link`. */
  next: /^next(page)?(link|url|uri|href|cursor|token|marker|key|offset)?$|^continuation(token)?$|^link$/,
  /** A cursor that leads to the next page if there is one. */
  cursor: /^(end|last)?cursor$/,
  /** Whether another page follows. */
  more: /^(has)?more(pages|items|results|records|available)?$|^hasnext(page)?$|^(is)?truncated$/,
  page: /^(current)?page(number|index)?$|^number$/,
  /** The number of pages. */
  pages: /^((total|num|number)(of)?)?pages(count|total)?$|^(last|max)page$|^(total)?pagecount$/,
  /** Number of connectors before this page. */
  offset: /^(offset|skip)$/,
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

type Sign = keyof typeof signs;

/** A field or a header that is a sign. */
interface Said {
  readonly field: string;
  readonly sign: Sign;
  readonly value: Json;
}

/** A name without its namespace. */
const localName = (name: string) => name.replace(/^.*[:.@]|^x-(wp-|ms-)?/i, '');

/** The letters of a name without its namespace, in lower case. */
const lettersOf = (name: string) =>
  localName(name)
    .toLowerCase()
    .replace(/[^a-z]/g, '');

/** The signs in an object, outer ones first. */
function signsIn(object: JsonObject): readonly Said[] {
  const own = Object.entries(object).flatMap(([field, value]) => {
    const letters = lettersOf(field);
    const meanings = Object.entries(signs).filter(([, pattern]) => pattern.test(letters));
    return meanings.map(([sign]): Said => ({field, sign: sign as Sign, value}));
  });
  const inner = own
    .filter(({sign}) => sign === 'description')
    .flatMap(({value}) => {
      if (isObject(value)) return signsIn(value);
      const links = Array.isArray(value) ? value.filter(isObject) : [];
      // `links: [{rel: "next", href: "…"}]`
      const next = links.find((link) => (link['rel'] ?? link['relation']) === 'next');
      return next === undefined ? [] : signsIn({next});
    });
  return [...own, ...inner];
}

/** The target of the link with the relation `next` in a `Link` header (RFC 8288 §3); null without one. */
function nextLink(header: string): string | null {
  const links = header
    .split(/,\s*(?=<)/)
    .map((link) => /<([^>]*)>.*?;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/is.exec(link));
  const next = links.find((link) => /(^|\s)next($|\s)/i.test(link?.[2] ?? link?.[3] ?? ''));
  return next?.[1] ?? null;
}

/** The headers of a response as fields. Some services put an object into `X-Pagination`. */
function fieldsOf({headers}: ResponseHead): JsonObject {
  const read = (name: string, text: string) => {
    if (name === 'link') return nextLink(text);
    return text.startsWith('{') ? (parseJsonOrUndefined(text) ?? null) : text;
  };
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, text = '']) => [name, read(name, text)]));
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

/** Names whose query parameter is neither the name itself nor its part after `next`. */
const parameters: Readonly<Record<string, string>> = {
  next: 'cursor',
  endcursor: 'after',
  lastcursor: 'after',
  number: 'page',
};

/** The fields and headers of a response that are signs, and the ways to read them. */
function signsOf({response, list}: ListPage) {
  const said = [...list.around, fieldsOf(response)].flatMap(signsIn);
  const of = <T>(sign: Sign, read: (value: Json) => T | undefined) =>
    said.flatMap((one) => {
      const meaning = one.sign === sign ? read(one.value) : undefined;
      return meaning === undefined ? [] : [{...one, meaning}];
    });
  /** The greatest number of some signs. */
  const most = (...signs: readonly Sign[]): number | undefined => {
    const numbers = signs.flatMap((sign) => of(sign, readCount)).map(({meaning}) => meaning);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  };
  const more = of('more', String).map(({meaning}) => meaning);
  /** Whether another page follows; undefined where the response does not say. */
  const hasMore = more.includes('true') || (more.includes('false') ? false : undefined);
  return {of, most, hasMore};
}
type Signs = ReturnType<typeof signsOf>;

/** One page of a list, and the response that it is in. */
export interface ListPage {
  readonly response: ResponseHead;
  readonly list: List;
}

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
export function nextPage(context: CallContext, progress: Progress): URL | undefined {
  const {pages, received, response} = progress;
  const signs = signsOf(progress);
  const total = signs.most('total', 'count');
  const isMissing = received < (total ?? 0);
  // A `page_count` may count the connectors on the page.
  const isAll = received >= (signs.most('total') ?? Number.POSITIVE_INFINITY);
  const hasMore = signs.hasMore ?? (isMissing || (!isAll && pages < (signs.most('pages') ?? 0)));
  if (signs.hasMore !== false) {
    const url = linkedPage(context, signs, progress) ?? (hasMore && countedPage(signs, progress));
    if (url) return url;
  }
  const incomplete = (violation: string) =>
    protocolError(context, violation, undefined, 'list-incomplete');
  if (isMissing) throw incomplete(`it ends after ${received} of ${total} connectors`);
  const isPart = response.status === 206 && total === undefined && pages === 1;
  const objects = signs.of('next', (value) =>
    isObject(value) ? Object.keys(value)[0] : undefined,
  );
  if (isPart || hasMore || (signs.hasMore === undefined && objects.length > 0)) {
    throw incomplete('it announces more connectors, but not how to request them');
  }
  return undefined;
}

/** The page that a link or else a cursor leads to. */
function linkedPage(context: CallContext, signs: Signs, progress: Progress): URL | undefined {
  const {first, response} = progress;
  const cursors = signs.hasMore ? signs.of('cursor', readLead) : [];
  const leads = [...signs.of('next', readLead), ...cursors];
  const [cursor] = leads;
  const link = leads.find(
    ({sign, field, value, meaning}) =>
      sign === 'next' &&
      (isObject(value) ||
        /(link|url|uri|href)$/.test(lettersOf(field)) ||
        /^(https?:\/\/|[/?])/i.test(meaning)),
  );
  if (link === undefined) return cursor && withParameter(first, cursor.field, cursor.meaning);
  const url = URL.canParse(link.meaning, response.url.href)
    ? new URL(link.meaning, response.url)
    : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw protocolError(context, 'the address of its next page is not a URL');
}

/** The next page by number or offset. */
function countedPage(signs: Signs, {first, list: {elements}}: Progress): URL | undefined {
  if (elements.length === 0) return undefined;
  const [page] = signs.of('page', readCount);
  if (page) return withParameter(first, page.field, page.meaning + 1);
  const [offset] = signs.of('offset', readCount);
  const url = offset && withParameter(first, offset.field, offset.meaning + elements.length);
  const limit = signs.most('limit');
  if (limit !== undefined) url?.searchParams.set('limit', String(limit));
  return url;
}

/** The first page's address with the value of a field as a query parameter: `page_token` for `next_page_token`. */
function withParameter(first: URL, field: string, value: string | number): URL {
  const own = localName(field).replace(
    /^(?:current|next)[-_]?(?!token$|[-_]|$)(.)/i,
    (_, letter: string) => letter.toLowerCase(),
  );
  const url = new URL(first);
  url.searchParams.set(parameters[lettersOf(field)] ?? own.replaceAll('-', '_'), String(value));
  return url;
}
