import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {kindsIn, type PagingSign, paging, signsIn} from '../names/paging.js';
import {connectorField, connectorIn} from './connector.js';
import {parseJsonOrUndefined} from './json.js';

/** One page of a list. */
export interface ListPage {
  readonly response: ResponseHead;
  /** The path of the list in the body: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around the list, the outermost first. They may describe the pages. */
  readonly around: readonly JsonObject[];
}

/** A field beside a list, or a header, that may describe the pages. */
interface Sign<T> {
  readonly key: string;
  /**
   * The kinds of the words in the key, after those of the objects that hold it: ` next page` for `nextPage`, and for
   * `nextpage`, as headers are in lower case. An object that describes pages may be left out.
   */
  readonly paths: readonly string[];
  /** The keys of all fields of the same object, sorted; empty for a header. */
  readonly siblings: string;
  readonly value: T;
}

/** The URL of a page, and the name of the field that led to it. */
type Lead = Pick<Sign<URL>, 'key' | 'value'>;

/** @param key of the field that shows the violation */
function incomplete(context: CallContext, violation: string, {key}: {readonly key: string}) {
  const text = `${violation}: see \`${quote(context, key)}\``;
  return protocolError(context, text, undefined, 'list-incomplete');
}

/**
 * The pages of a list, in turn, up to one that leads to no other. A list that ends before all announced connectors, or
 * whose pages repeat, causes an error.
 */
export async function* pagesOf<Page extends ListPage>(
  context: CallContext,
  first: URL,
  request: (url: URL) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  let lead: Lead | undefined = {key: '', value: first};
  let total: Sign<number> | undefined;
  let received = 0;
  let emptyPages = 0;
  for (let pages = 1; lead !== undefined; pages += 1) {
    const page: Page = await request(lead.value);
    const connector = connectorIn(page.elements[0] ?? null);
    const mark = connector ? `first ${connectorField.id(connector)}` : lead.value.href;
    emptyPages = page.elements.length === 0 ? emptyPages + 1 : 0;
    const isRepeated = seen.has(mark) || emptyPages > paging.mostEmptyPages;
    if (isRepeated) throw incomplete(context, 'its pages repeat', lead);
    seen.add(mark);
    yield page;
    received += page.elements.length;
    const progress = {...page, of: signsOf(page), context, pages, received, total};
    total = totalOf(progress);
    lead = nextPage({...progress, total});
  }
}

/** The fields of an object, and of the objects in it that may describe the pages. @param ways kinds of the names above */
function fieldsIn(object: JsonObject, ways: readonly string[] = [''], level = 0): Sign<Json>[] {
  const siblings = Object.keys(object).sort().join(' ');
  const fields = Object.entries(object).map(([key, value]) => ({key, value, kinds: kindsIn(key)}));
  const isDescribing = paging.describing.test(fields.map(({kinds}) => `${kinds};`).join(''));
  const ownWays = isDescribing ? ['', ...ways] : ways;
  const pathsOf = (kinds: string) => ownWays.map((way) => way + kinds);
  const own = fields.map((field) => ({...field, siblings, paths: pathsOf(field.kinds)}));
  if (level === paging.deepest) return own;
  const inner = own.flatMap(({value, kinds, paths}) => {
    const isNamed = signsIn(kinds).has('description');
    const description = descriptionIn(value, kinds, isNamed);
    return description ? fieldsIn(description, isNamed ? ['', kinds] : paths, level + 1) : [];
  });
  return [...own, ...inner];
}

/**
 * The object in a field that may describe the pages: by its name, or if it is small and has no id and no list, which it
 * would describe instead. Also `links: [{rel: "next", href: "…"}]`, by the relations, and `warnings: ["…"]`.
 */
function descriptionIn(value: Json, kinds: string, isNamed: boolean): JsonObject | undefined {
  if (Array.isArray(value)) {
    if (!isNamed && !signsIn(kinds).has('notice')) return undefined;
    const relationOf = (one: Json) => (isObject(one) ? (one['rel'] ?? one['relation']) : undefined);
    return Object.fromEntries(value.map((one, at) => [String(relationOf(one) ?? at), one]));
  }
  if (!isObject(value) || signsIn(kinds).has('next')) return undefined;
  const isLarge = Object.keys(value).length > paging.widest;
  const isList = kinds !== '' && Object.values(value).some(Array.isArray);
  return isNamed || !('id' in value || isLarge || isList) ? value : undefined;
}

/** The value of a header: a JSON object, `total=5, page=1` as an object, or the text. */
function readHeader(text: string): Json {
  if (text.startsWith('{')) return parseJsonOrUndefined(text) ?? text;
  return paging.pairs.test(text)
    ? Object.fromEntries(new URLSearchParams(text.replaceAll(/, */g, '&')))
    : text;
}

/** Creates a search in one response: for all fields with a sign whose value `read` accepts. */
function signsOf({response: {headers}, around, elements}: ListPage) {
  const values = Object.entries(headers).map(([name, text = '']) => [name, readHeader(text)]);
  const next = paging.nextLink.exec(headers['link'] ?? '')?.[1] ?? null;
  const head = {...Object.fromEntries(values), next};
  const last = Object.entries(elements.at(-1) ?? {}).filter(([key]) => paging.inLast.test(key));
  const inHead = fieldsIn(head).map((field) => {
    const paths = field.paths.map((path) => path.replace(paging.vendor, ''));
    return {...field, siblings: '', paths};
  });
  const beside = [...around, Object.fromEntries(last)].flatMap((one) => fieldsIn(one));
  const fields = [...beside, ...inHead];
  return <T>(sign: PagingSign, read: (value: Json, kinds: string) => T | undefined) =>
    fields.flatMap((field): readonly Sign<T>[] => {
      const path = field.paths.find((way) => signsIn(way).has(sign));
      const value = path === undefined ? undefined : read(field.value, path);
      return value === undefined ? [] : [{...field, value}];
    });
}

/** A whole number of 0 or more: `25`, `"25"`, `{"value": 25}`, or the total in `items 0-9/25` (RFC 9110 §14.4). */
function readCount(value: Json): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const [, digits] = paging.count.exec(readLabel(value)?.trim() ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** True if a value, or the length of an array, matches; else undefined. */
const said = (value: Json, expected?: RegExp) =>
  expected?.test(String(Array.isArray(value) ? value.length : value)) || undefined;

/** Reads the address of a page; undefined if the value holds none. */
function readLink(value: Json, kinds: string): string | undefined {
  if (isObject(value)) return firstValue(value, paging.addressNames, readText);
  const link = / (address|link)$/.test(kinds) ? /[/?:]/ : /^(https?:\/\/|[/?])/i;
  return link.test(String(value)) ? readText(value) : undefined;
}

/** Reads a cursor; undefined for a value that means no cursor, and for the offset of this page. */
function readCursor(value: Json, kinds: string): string | undefined {
  const isOffset = kinds === ' offset' && readCount(value) !== undefined;
  return isOffset || paging.noCursor.test(String(value)) ? undefined : readLabel(value);
}

/** The filled members of an object; undefined without any, for an address, or if it also describes the previous page. */
function readMembers(value: Json): JsonObject | undefined {
  const isOther = !isObject(value) || 'previous' in value || readLink(value, '') !== undefined;
  const members = isOther ? [] : Object.entries(value);
  const filled = members.filter(([, member]) => member && member !== true);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/** The page that was read last, its signs, and the counts of all pages so far. */
interface Progress extends ListPage {
  readonly of: ReturnType<typeof signsOf>;
  readonly context: CallContext;
  readonly pages: number;
  /** Number of connectors on the pages so far. */
  readonly received: number;
  readonly total: Sign<number> | undefined;
}

/** The number of connectors on all pages. @throws AppError when more were received, unless it falls or counts a page */
function totalOf({context, of, elements, received, total: before}: Progress) {
  const [total] = of('total', readCount).toSorted((a, b) => b.value - a.value);
  if (total === undefined) return before;
  // Some services send the number of connectors on the page as the total.
  const mayBeLess = total.value === elements.length || total.value < (before?.value ?? 0);
  if (total.value >= received || (mayBeLess && elements.length > 0)) return total;
  throw incomplete(context, `its total is ${total.value} after ${received} connectors`, total);
}

/** The lead to the next page; undefined after the last one. @throws AppError when connectors are missing */
function nextPage(progress: Progress): Lead | undefined {
  const {context, of, response, pages, received, total} = progress;
  const [loss] = paging.losses.flatMap(([sign, yes]) => of(sign, (value) => said(value, yes)));
  if (loss) throw incomplete(context, 'it leaves out connectors', loss);
  const flags = paging.flags.flatMap(([sign, yes, no]) =>
    of(sign, (value) => said(value, yes) ?? (said(value, no) ? false : undefined)),
  );
  /** Whether another page follows; undefined where the response does not say. */
  const more = flags.find(({value}) => value) ?? flags[0];
  // Beside a total, a count may be the length that was asked for.
  const [own] = of('total', (value, kinds) =>
    / total/.test(kinds) ? readCount(value) : undefined,
  );
  const [limit] = of('limit', readCount);
  const sizes = of('size', readCount).filter(({value}) => limit && value > limit.value);
  const counts = own ? [] : [...of('count', readCount), ...sizes];
  const missing = [total, ...counts].find((sign) => sign && sign.value > received);
  if (more?.value === false && !missing) return undefined;
  const doubt =
    missing ??
    more ??
    // A `page_count` may count the connectors on the page, so a total takes precedence.
    of('pages', readCount).find(({value}) => value > pages && !own) ??
    [...of('next', readMembers), ...of('cursor', readMembers)][0] ??
    (total ? undefined : placesIn(progress).later[0]) ??
    (response.status === 206 && pages === 1 && !total ? {key: '206'} : undefined);
  const lead = more?.value === false ? undefined : leadIn(progress, doubt !== undefined);
  if (lead || !doubt) return lead;
  const violation = missing
    ? `it ends after ${received} of ${missing.value} connectors`
    : 'it announces more connectors, but not how to request them';
  throw incomplete(context, violation, doubt);
}

/** The number of this page, from 0 or 1, the position of its first connector, and the places of later pages. */
function placesIn({of, pages, received, elements}: Progress) {
  const numbers = of('page', readCount);
  const offsets = of('offset', readCount);
  const isLater = ({value}: Sign<number>) => value > received - elements.length + 1;
  return {
    number: numbers.find(({value}) => value === pages || value === pages - 1),
    offset: offsets.find((sign) => !isLater(sign)),
    later: [...numbers.filter(({value}) => value > pages), ...offsets.filter(isLater)],
  };
}

/** The next page by a link, a cursor or an object of parameters; else, in doubt, by a page number or an offset. */
function leadIn(progress: Progress, isInDoubt: boolean) {
  const {context, of, elements, pages, received, url} = {...progress, ...progress.response};
  const size = elements.length;
  const isTotal = !isInDoubt && of('total', readCount).some(({value}) => value === received);
  const isReached = isTotal && (received > size || pages > 1);
  // A service that sends a total, or links its last page, may link a next page even from an empty one.
  if (size === 0 && (isReached || of('last', readCursor).length > 0)) return undefined;
  const [link] = [...of('next', readLink), ...of('nextAddress', readLink)];
  if (link) {
    const value = URL.canParse(link.value, url.href) ? new URL(link.value, url) : undefined;
    if (size === 0 && value?.href === url.href) return undefined;
    if (value && /^https?:$/.test(value.protocol)) return {...link, value};
    throw incomplete(context, 'the address of its next page is not a URL', link);
  }
  const {number, offset} = placesIn(progress);
  // After the last page, some services repeat the cursor, or send the number of the first page or of this one.
  const isNew = (sign: Sign<string>) => url.searchParams.get(parameterOf(sign)) !== sign.value;
  const isAhead = (sign: Sign<string>) => {
    if (parameterOf(sign) !== 'page') return isNew(sign) || (size > 0 && !isReached);
    const current =
      number?.value ?? Number(url.searchParams.get('page') ?? (sign.siblings ? 0 : 1));
    return !(Number(sign.value) <= current);
  };
  const next = of('next', readCursor).filter(isAhead);
  const cursors = [...of('cursor', readCursor), ...(isTotal ? [] : of('lastCursor', readCursor))];
  const [cursor] = [...next, ...cursors.filter(isNew)];
  if (cursor) return leadBy(url, cursor, {[parameterOf(cursor)]: cursor.value});
  const members = of('next', readMembers).find(({value}) => Object.values(value).every(readLabel));
  if (members) return leadBy(url, members, members.value);
  const sign = number ?? offset;
  if (!isInDoubt || size === 0 || sign === undefined) return undefined;
  const limit = of('limit', readCount).find(({value}) => value > 0 && !number);
  return leadBy(url, sign, {
    [parameterOf(sign)]: sign.value + (number ? 1 : size),
    ...(limit && {[parameterOf(limit)]: limit.value}),
  });
}

/** The query parameter for a field: `page_token` for `next_page_token`. */
export function parameterOf({key, siblings}: Pick<Sign<unknown>, 'key' | 'siblings'>): string {
  const name = key.replace(paging.namespace, '');
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  const own = name.replace(paging.prefix, (_, letter: string) => letter.toLowerCase());
  const parameter = paging.parameters.get(letters) ?? own.replaceAll('-', '_');
  const dialect = paging.dialects.find(([fields]) => fields.test(siblings))?.[1] ?? '#';
  return dialect.replace('#', () => parameter);
}

/** The lead to the URL of a page with these query parameters added or replaced. */
function leadBy(page: URL, {key}: Sign<unknown>, parameters: JsonObject): Lead {
  const value = new URL(page);
  for (const [name, one] of Object.entries(parameters)) value.searchParams.set(name, String(one));
  return {key, value};
}
