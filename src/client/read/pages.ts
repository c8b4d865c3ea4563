import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {type PagingSign, paging} from '../names/paging.js';
import {connectorField, connectorIn} from './connector.js';
import {parseJsonOrUndefined} from './json.js';

/** One page of a list. */
export interface ListPage {
  readonly response: ResponseHead;
  /** The path of the list in the body: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around the list, the outermost first. They describe the page. */
  readonly around: readonly JsonObject[];
}

/** The maximum number of consecutive empty pages. */
const mostEmptyPages = 100;

/** A field beside a list, or a header, that may describe the pages. */
interface Sign<T> {
  /** The name without its namespace. */
  readonly name: string;
  /** The kinds of the words in the name: ` next page` for `nextPage`, and for `nextpage`, as headers are in lower case. */
  readonly kinds: string;
  /** The names of all fields of the same object, sorted; empty for a header. */
  readonly siblings: string;
  readonly value: T;
}

/** The URL of a page, and the name of the field that led to it. */
type Lead = Pick<Sign<URL>, 'name' | 'value'>;

/** @param name of the field that shows the violation */
function incomplete(context: CallContext, violation: string, {name}: {readonly name: string}) {
  const text = `${violation}: see \`${quote(context, name)}\``;
  return protocolError(context, text, undefined, 'list-incomplete');
}

/**
 * The pages of a list, in turn. A list ends where the service says so. A list that ends before all announced connectors,
 * or whose pages repeat, causes an error.
 */
export async function* pagesOf<Page extends ListPage>(
  context: CallContext,
  first: URL,
  request: (url: URL) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  let lead: Lead | undefined = {name: '', value: first};
  let total: Sign<number> | undefined;
  let received = 0;
  let emptyPages = 0;
  for (let pages = 1; lead !== undefined; pages += 1) {
    const page: Page = await request(lead.value);
    const connector = connectorIn(page.elements[0] ?? null);
    const mark = connector ? `first ${connectorField.id.read(connector)}` : lead.value.href;
    emptyPages = page.elements.length === 0 ? emptyPages + 1 : 0;
    const isRepeated = seen.has(mark) || emptyPages > mostEmptyPages;
    if (isRepeated) throw incomplete(context, 'its pages repeat', lead);
    seen.add(mark);
    yield page;
    received += page.elements.length;
    const progress = {...page, of: signsOf(page), context, pages, received, total};
    total = totalOf(progress);
    lead = nextPage({...progress, total});
  }
}

/** The fields of an object, and of the objects in it that describe the pages. */
function fieldsIn(object: JsonObject, siblings = Object.keys(object).sort().join(' ')) {
  const own = Object.entries(object).map(([key, value]): Sign<Json> => {
    const name = key.replace(paging.namespace, '');
    const parts = name.length > paging.longest ? '' : name.replace(/([a-z])(?=[A-Z])/g, '$1 ');
    const words = parts.toLowerCase().match(paging.word) ?? [];
    const kinds = words.map((word) => ` ${paging.kindOf.get(word) ?? 'other'}`).join('');
    return {name, kinds: siblings ? kinds : kinds.replace(paging.vendor, ''), siblings, value};
  });
  const descriptions = own.filter(({kinds}) => paging.signs.description.test(kinds));
  const inner: Sign<Json>[] = descriptions.flatMap(({value}) => fieldsIn(described(value)));
  return [...own, ...inner];
}

/** The fields of a description: an object, or the link `next` in `links: [{rel: "next", href: "…"}]`. */
function described(value: Json): JsonObject {
  if (!Array.isArray(value)) return isObject(value) ? value : {};
  const isNext = ({rel, relation}: JsonObject) => [rel ?? relation].flat().includes('next');
  return {next: value.filter(isObject).find(isNext) ?? null};
}

/** The target of the link `next` in a `Link` header (RFC 8288 §3); null without one, or if the link has no results. */
function nextLink(header: string): string | null {
  const link = header.split(/,\s*(?=<)/).find((one) => paging.nextLink.test(one));
  return /<([^>]*)>/.exec(link ?? '')?.[1] ?? null;
}

/** Creates a search in one response: for all fields with a sign whose value `read` accepts. */
function signsOf({response: {headers}, around, elements}: ListPage) {
  // Some services put a JSON object into a header.
  const values = Object.entries(headers).map(([name, text = '']) => [
    name,
    (text.startsWith('{') && parseJsonOrUndefined(text)) || text,
  ]);
  const head = {...Object.fromEntries(values), next: nextLink(headers['link'] ?? '')};
  const last = Object.entries(described(elements.at(-1) ?? null));
  const flags = Object.fromEntries(last.filter(([name]) => paging.inLast.test(name)));
  const fields = [...[...around, flags].flatMap((one) => fieldsIn(one)), ...fieldsIn(head, '')];
  return <T>(sign: PagingSign, read: (value: Json, kinds: string) => T | undefined) =>
    fields.flatMap((field): readonly Sign<T>[] => {
      if (!paging.signs[sign].test(field.kinds)) return [];
      const value = read(field.value, field.kinds);
      return value === undefined ? [] : [{...field, value}];
    });
}

/** A whole number of 0 or more: `25`, `"25"`, `{"value": 25}`, or the total in `items 0-9/25` (RFC 9110 §14.4). */
function readCount(value: Json): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const [, digits] = paging.count.exec(readLabel(value)?.trim() ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads the address of a page; undefined if the value holds none. */
function readLink(value: Json, kinds: string): string | undefined {
  if (Array.isArray(value)) return readLink(value[0] ?? null, kinds);
  if (isObject(value)) return firstValue(value, paging.addressNames, readText);
  const link = / (address|link)$/.test(kinds) ? /[/?:]/ : /^(https?:\/\/|[/?])/i;
  return link.test(String(value)) ? readText(value) : undefined;
}

/** Reads a cursor; undefined for a value that means no cursor, and for the offset of this page. */
function readCursor(value: Json, kinds: string): string | undefined {
  const isOffset = kinds === ' offset' && readCount(value) !== undefined;
  return isOffset || paging.noCursor.test(String(value)) ? undefined : readLabel(value);
}

/** The filled members of an object; undefined without any, or if the object also describes the previous page. */
function readMembers(value: Json): JsonObject | undefined {
  const members = isObject(value) && !('previous' in value) ? Object.entries(value) : [];
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

/** The number of connectors on all pages. @throws AppError when more were received, unless the total falls */
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
  const flags = paging.flags.flatMap(([sign, yes, no]) =>
    of(sign, (value) => yes.test(String(value)) || (no?.test(String(value)) ? false : undefined)),
  );
  /** Whether another page follows; undefined where the response does not say. */
  const more = flags.find(({value}) => value) ?? flags[0];
  const missing = [total, ...of('count', readCount)].find((sign) => sign && sign.value > received);
  if (more?.value === false && !missing) return undefined;
  const doubt =
    missing ??
    more ??
    of('remaining', readCount).find(({value}) => value > 0) ??
    // A `page_count` may count the connectors on the page, so a total takes precedence.
    of('pages', readCount).find(({value}) => value > pages && !of('total', readCount)[0]) ??
    [...of('next', readMembers), ...of('cursor', readMembers)][0] ??
    (response.status === 206 && pages === 1 && !total ? {name: '206'} : undefined);
  const lead = more?.value === false ? undefined : leadIn(progress, doubt !== undefined);
  if (lead || !doubt) return lead;
  const violation = missing
    ? `it ends after ${received} of ${missing.value} connectors`
    : 'it announces more connectors, but not how to request them';
  throw incomplete(context, violation, doubt);
}

/** The next page by a link, else by a cursor, else, if connectors seem to be missing, by a page number or an offset. */
function leadIn({context, of, elements, received, response: {url}}: Progress, isInDoubt: boolean) {
  const size = elements.length;
  const hasCome = ({value}: Sign<number>) => value === received && received > size;
  const isReached = !isInDoubt && of('total', readCount).some(hasCome);
  // A service that links its last page, or from each page, may link a next page after the last one too.
  if (size === 0 && (isReached || of('last', readCursor).length > 0)) return undefined;
  const [link] = of('next', readLink);
  if (link) {
    const value = URL.canParse(link.value, url.href) ? new URL(link.value, url) : undefined;
    if (value && /^https?:$/.test(value.protocol)) return {...link, value};
    throw incomplete(context, 'the address of its next page is not a URL', link);
  }
  const [number] = of('page', readCount);
  // After the last page, some services repeat the cursor, or send the number of the first page or of this one.
  const isNew = (sign: Sign<string>) => url.searchParams.get(parameterOf(sign)) !== sign.value;
  const isAhead = (sign: Sign<string>) => {
    if (parameterOf(sign) !== 'page') return isNew(sign) || (size > 0 && !isReached);
    const current =
      number?.value ?? Number(url.searchParams.get('page') ?? (sign.siblings ? 0 : 1));
    return !(Number(sign.value) <= current);
  };
  const next = of('next', readCursor).filter(isAhead);
  const [cursor] = [...next, ...of('cursor', readCursor).filter(isNew)];
  if (cursor) return leadBy(url, cursor, {[parameterOf(cursor)]: cursor.value});
  const members = of('next', readMembers).find(({value}) => Object.values(value).every(readLabel));
  if (members) return leadBy(url, members, members.value);
  const sign = number ?? of('offset', readCount)[0];
  if (!isInDoubt || size === 0 || sign === undefined) return undefined;
  const limit = of('limit', readCount).find(({value}) => value > 0 && !number);
  return leadBy(url, sign, {
    [parameterOf(sign)]: sign.value + (number ? 1 : size),
    ...(limit && {[parameterOf(limit)]: limit.value}),
  });
}

/** The query parameter for a field: `page_token` for `next_page_token`. */
export function parameterOf({name, siblings}: Pick<Sign<unknown>, 'name' | 'siblings'>): string {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  const own = name.replace(paging.prefix, (_, letter: string) => letter.toLowerCase());
  const parameter = paging.parameters.get(letters) ?? own.replaceAll('-', '_');
  const dialect = paging.dialects.find(([fields]) => fields.test(siblings))?.[1] ?? '#';
  return dialect.replace('#', () => parameter);
}

/** The lead to the URL of a page with these query parameters added or replaced. */
function leadBy(page: URL, {name}: Sign<unknown>, parameters: JsonObject): Lead {
  const value = new URL(page);
  for (const [key, one] of Object.entries(parameters)) value.searchParams.set(key, String(one));
  return {name, value};
}
