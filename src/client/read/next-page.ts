import type {Json, JsonObject} from '../../domain/json.js';
import type {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {parseJsonOrUndefined} from './json.js';
import type {List} from './page.js';

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
  /** Whether there are more. */
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
} as const;

type Sign = keyof typeof signs;

/** Objects beside a list that describe its pages. */
const descriptions =
  /^(pag(e|er|es|ing|ination|inator)|cursors?|((list|response)?meta(data)?)|(page|result|cursor)?info|pagecontext|links?|view)$/;

/** A field or a header that is a sign. */
interface Said {
  readonly field: string;
  readonly sign: Sign;
  readonly value: Json;
}

/** The letters of a name without its namespace, in lower case. */
function lettersOf(name: string): string {
  return name
    .replace(/^.*[:.@]|^x-(wp-|ms-)?/i, '')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** The signs in an object, outer ones first. */
function signsIn(object: JsonObject): readonly Said[] {
  const inner: Said[] = [];
  const own = Object.entries(object).flatMap(([field, value]): Said[] => {
    const letters = lettersOf(field);
    if (descriptions.test(letters)) {
      if (isObject(value)) inner.push(...signsIn(value));
      if (Array.isArray(value)) inner.push(...nextIn(value));
    }
    return Object.entries(signs).flatMap(([sign, names]) =>
      names.test(letters) ? [{field, sign: sign as Sign, value}] : [],
    );
  });
  return [...own, ...inner];
}

/** The next page in `links: [{rel: "next", href: "…"}]`. */
function nextIn(links: readonly Json[]): readonly Said[] {
  const next = links.filter(isObject).find((link) => (link['rel'] ?? link['relation']) === 'next');
  return next === undefined ? [] : [{field: 'next', sign: 'next', value: next}];
}

/**
 * One link of a `Link` header (RFC 8288 §3): `<target>; name=value; name="quoted value"`, with
 * white space around the separators, and a comma or the end after it.
 */
const link =
  /[\s,]*<([^>]*)>((?:\s*;\s*[^\s=;,"]*(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)\s*(?=,|$)/y;

const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/**
 * The target of the link with the relation `next`; undefined without one.
 *
 * Not `http-link-header`, which loses the second of two links with a space before the comma.
 */
function nextLink(header: string | undefined): string | undefined {
  link.lastIndex = 0;
  for (let match = link.exec(header ?? ''); match; match = link.exec(header ?? '')) {
    const [, target, parameters = ''] = match;
    const [, quoted, bare = ''] = relation.exec(parameters) ?? [];
    const relations = (quoted ?? bare).toLowerCase().split(/\s+/);
    if (relations.includes('next')) return target;
  }
  return undefined;
}

/** The headers of a response as fields. Some services put an object into `X-Pagination`. */
function fieldsOf({headers}: ResponseHead): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text = '']) => [
      name,
      name === 'link'
        ? (nextLink(text) ?? null)
        : text.startsWith('{')
          ? (parseJsonOrUndefined(text) ?? null)
          : text,
    ]),
  );
}

/** A whole number of 0 or more: `25`, `"25"`, `{"value": 25}`, or the total in `items 0-9/25` (RFC 9110 §14.4). */
function readCount(value: Json): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const text = readLabel(value) ?? '';
  const digits = /^(?:(?!bytes\b)\S+ )?(?:\d+-\d+|\*)\/(\d+)$|^(\d+)$/.exec(text.trim());
  return digits === null ? undefined : Number(digits[1] ?? digits[2]);
}

/** A field with a number. */
interface Count {
  readonly field: string;
  readonly value: number;
}

/** The fields and headers of a response about the pages of a list. */
class Signs {
  readonly #said: readonly Said[];

  constructor(objects: readonly JsonObject[]) {
    this.#said = objects.flatMap((object) => signsIn(object));
  }

  of(...wanted: readonly Sign[]): readonly Said[] {
    return this.#said.filter(({sign}) => wanted.includes(sign));
  }

  counts(...wanted: readonly Sign[]): readonly Count[] {
    return this.of(...wanted).flatMap(({field, value: sent}) => {
      const value = readCount(sent);
      return value === undefined ? [] : [{field, value}];
    });
  }

  /** The greatest number of a sign. */
  most(...wanted: readonly Sign[]): number | undefined {
    const numbers = this.counts(...wanted).map(({value}) => value);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  get more(): boolean | undefined {
    const said = this.of('more').map(({value}) => String(value));
    return said.includes('true') || (said.includes('false') ? false : undefined);
  }
}

/** Finds the next page of a list, and whether the list is complete. */
export class Pager {
  readonly #context: CallContext;
  readonly #first: URL;
  #pages = 0;
  #received = 0;
  #firstNumber = 1;

  /** @param first the address of the first page; others have its parameters too */
  constructor(context: CallContext, first: URL) {
    this.#context = context;
    this.#first = first;
  }

  /**
   * The address of the next page: the URL of a link, or the first page's with a cursor, a page number or an offset as a
   * query parameter; undefined after the last page.
   *
   * @throws AppError of kind `protocol` when connectors are missing without a way to read them
   */
  next(response: ResponseHead, {around, elements}: Omit<List, 'path'>): URL | undefined {
    this.#pages += 1;
    this.#received += elements.length;
    const said = new Signs([...around, fieldsOf(response)]);
    const [page] = said.counts('page');
    if (this.#pages === 1) this.#firstNumber = Math.min(page?.value ?? 1, 1);
    const total = said.most('total', 'count');
    const isMissing = total !== undefined && this.#received < total;
    const {more} = said;
    const url =
      more === false
        ? undefined
        : (this.#link(said, response.url) ??
          this.#cursor(said, more === true) ??
          this.#place(said, elements.length, more === true || isMissing));
    if (url) return url;
    if (isMissing) throw this.#incomplete(`it ends after ${this.#received} of ${total} connectors`);
    const isPart = response.status === 206 && total === undefined && this.#pages === 1;
    const announced = said
      .of('next')
      .some(({value}) => isObject(value) && Object.keys(value).length > 0);
    const isAnnounced = more !== false && (announced || this.#hasPagesLeft(said));
    if (more || isPart || isAnnounced) {
      throw this.#incomplete('it announces more connectors, but not how to request them');
    }
    return undefined;
  }

  #incomplete(violation: string): AppError {
    return protocolError(this.#context, violation, undefined, 'list-incomplete');
  }

  #link(said: Signs, page: URL): URL | undefined {
    for (const {field, value} of said.of('next')) {
      const text = textOf(value);
      const isAddress = isObject(value) || /(link|url|uri|href)$/.test(lettersOf(field));
      if (text === undefined || !(isAddress || /^(https?:\/\/|[/?])/i.test(text))) continue;
      const url = URL.canParse(text, page.href) ? new URL(text, page) : undefined;
      if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
      throw protocolError(this.#context, 'the address of its next page is not a URL');
    }
    return undefined;
  }

  #cursor(said: Signs, hasMore: boolean): URL | undefined {
    const cursors = [...said.of('next'), ...(hasMore ? said.of('cursor') : [])];
    const cursor = cursors.find(({value}) => textOf(value) !== undefined);
    return cursor && this.#with(parameterOf(cursor.field), textOf(cursor.value) ?? '');
  }

  /** The next page by number or offset, while there are more. */
  #place(said: Signs, count: number, hasMore: boolean): URL | undefined {
    if (count === 0) return undefined;
    const [page] = said.counts('page');
    const [offset] = said.counts('offset');
    if (page && (this.#hasPagesLeft(said) || (hasMore && said.most('pages') === undefined))) {
      return this.#with(parameterOf(page.field), page.value + 1);
    }
    if (!offset || !hasMore) return undefined;
    const url = this.#with(parameterOf(offset.field), offset.value + count);
    const [limit] = said.counts('limit');
    if (limit) url.searchParams.set('limit', String(limit.value));
    return url;
  }

  /** Whether a count of pages says that there are more. */
  #hasPagesLeft(said: Signs): boolean {
    // A `page_count` may count the connectors on the page.
    if ((said.most('total') ?? Number.POSITIVE_INFINITY) <= this.#received) return false;
    const [number] = said.counts('page');
    const done = number === undefined ? this.#pages : number.value - this.#firstNumber + 1;
    return done < (said.most('pages') ?? 0);
  }

  #with(parameter: string, value: string | number): URL {
    const url = new URL(this.#first);
    url.searchParams.set(parameter, String(value));
    return url;
  }
}

/** A cursor, or the address of the next page. */
function textOf(value: Json): string | undefined {
  if (isObject(value)) return firstValue(value, ['href', 'url', 'link', 'uri'], readText);
  return typeof value === 'number' && value <= 0 ? undefined : readLabel(value);
}

/** Names whose query parameter is neither the name itself nor what follows `next`. */
const parameters: Readonly<Record<string, string>> = {
  next: 'cursor',
  endcursor: 'after',
  lastcursor: 'after',
  number: 'page',
};

/** The query parameter for the value of a field or header: `page_token` for `next_page_token`. */
function parameterOf(name: string): string {
  const plain = name.replace(/^x-(wp-|ms-)?|^.*[:.@]|^current[-_]?/i, '');
  const rest = /^next[-_]?(?!token$)(.+)$/i.exec(plain)?.[1];
  const own = rest === undefined ? plain : rest.charAt(0).toLowerCase() + rest.slice(1);
  return parameters[lettersOf(name)] ?? own.replaceAll('-', '_');
}
