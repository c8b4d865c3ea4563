import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import {type PagingSign, paging} from '../names/paging.js';
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

/** A field beside a list, or a header. */
interface Sign<T> {
  /** Without its namespace. */
  readonly name: string;
  /** Those of the name, in lower case. */
  readonly letters: string;
  /** The names of all fields of its object; empty for a header. */
  readonly siblings: string;
  readonly value: T;
}

/** The way to a page, and the name of the field that leads there. */
type Lead = Pick<Sign<URL>, 'name' | 'value'>;

/** @param name of the field that shows the violation */
function incomplete(context: CallContext, violation: string, {name}: {readonly name: string}) {
  const text = `${violation}: see \`${quote(context, name)}\``;
  return protocolError(context, text, undefined, 'list-incomplete');
}

/**
 * The pages of a list, in turn. A list ends where the service says so. A page that contradicts what was announced, or
 * has the same address or the same first connector as an earlier one, ends it with an error.
 */
export async function* pagesOf<Page extends ListPage>(
  context: CallContext,
  first: URL,
  request: (url: URL) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  const refuseRepeated = (mark: string, lead: Lead) => {
    if (seen.has(mark)) throw incomplete(context, 'it repeats a page', lead);
    seen.add(mark);
  };
  let lead: Lead | undefined = {value: first, name: ''};
  let total: Sign<number> | undefined;
  let received = 0;
  let emptyPages = 0;
  for (let pages = 1; lead !== undefined; pages += 1) {
    refuseRepeated(lead.value.href, lead);
    const page: Page = await request(lead.value);
    const {elements} = page.list;
    const connector = connectorIn(elements[0] ?? null);
    if (connector) refuseRepeated(`first ${connectorField.id.read(connector)}`, lead);
    emptyPages = elements.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages) {
      throw incomplete(context, 'its pages are empty and never end', lead);
    }
    yield page;
    received += elements.length;
    const progress = {...page, of: signsOf(page), context, first, pages, received};
    total = totalOf({...progress, total});
    lead = nextPage({...progress, total});
  }
}

/** The fields of an object, and those of the descriptions of pages in it. */
function fieldsIn(object: JsonObject, siblings = Object.keys(object).sort().join(' ')) {
  const own = Object.entries(object).map(([key, value]): Sign<Json> => {
    const name = key.replace(paging.namespace, '');
    return {name, letters: name.toLowerCase().replace(/[^a-z]/g, ''), value, siblings};
  });
  const descriptions = own.filter(({letters}) => paging.signs.description.test(letters));
  const inner: Sign<Json>[] = descriptions.flatMap(({value}) => fieldsIn(described(value)));
  return [...own, ...inner];
}

/** What a description says: an object, or `links: [{rel: "next", href: "…"}]`. */
function described(value: Json): JsonObject {
  if (!Array.isArray(value)) return isObject(value) ? value : {};
  const isNext = ({rel, relation}: JsonObject) => [rel ?? relation].flat().includes('next');
  return {next: value.filter(isObject).find(isNext) ?? null};
}

/** The target of the link `next` in a `Link` header (RFC 8288 §3); null without one, or if it has no results. */
function nextLink(header: string): string | null {
  const isNext = /;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next(?![^\s;,]))/i;
  const links = header.split(/,\s*(?=<)/).filter((link) => isNext.test(link));
  const link = links.find((one) => !/;\s*results="?false/i.test(one));
  return /<([^>]*)>/.exec(link ?? '')?.[1] ?? null;
}

/** What a response says about the pages of its list: the fields with a sign that have a value for `read`. */
function signsOf({response: {headers}, list}: ListPage) {
  // Some services put an object into a header.
  const values = Object.entries(headers).map(([name, text = '']): [string, Json] => {
    return [name, text.startsWith('{') ? (parseJsonOrUndefined(text) ?? text) : text];
  });
  const head = {...Object.fromEntries(values), next: nextLink(headers['link'] ?? '')};
  const fields = [...list.around.flatMap((object) => fieldsIn(object)), ...fieldsIn(head, '')];
  return <T>(sign: PagingSign, read: (value: Json, letters: string) => T | undefined) =>
    fields.flatMap((field): readonly Sign<T>[] => {
      if (!paging.signs[sign].test(field.letters)) return [];
      const value = read(field.value, field.letters);
      return value === undefined ? [] : [{...field, value}];
    });
}

/** A whole number of 0 or more: `25`, `"25"`, `{"value": 25}`, or the total in `items 0-9/25` (RFC 9110 §14.4). */
function readCount(value: Json): number | undefined {
  if (isObject(value)) return firstValue(value, ['value', 'count'], readCount);
  const text = readLabel(value)?.trim() ?? '';
  const digits = /^(?:(?!bytes\b)\S+ )?(?:\d+-\d+|\*)\/(\d+)$|^(\d+)$/.exec(text);
  return digits === null ? undefined : Number(digits[1] ?? digits[2]);
}

const readFlag = (value: Json) =>
  /^true$/i.test(String(value)) || (/^false$/i.test(String(value)) ? false : undefined);

/** A flag, which some services write as a number. */
const readMore = (value: Json) =>
  readFlag(value) ?? ([1, '1'].includes(value as string) || undefined);

/** The address of the next page. */
function readLink(value: Json, name: string): string | undefined {
  if (Array.isArray(value)) return readLink(value[0] ?? null, name);
  if (isObject(value)) return firstValue(value, paging.addressNames, readText);
  const isLink = paging.addressEnd.test(name) || /^(https?:\/\/|[/?])/i.test(String(value));
  return isLink ? readText(value) : undefined;
}

/** A cursor; undefined for a value that stands for none. */
const readCursor = (value: Json) =>
  paging.noCursor.test(String(value)) ? undefined : readLabel(value);

const readToken = (value: Json, name: string) =>
  name === 'offset' && readCount(value) === undefined ? readText(value) : undefined;

/** The values in an object, unless they are empty. */
function readMembers(value: Json): JsonObject | undefined {
  const members = isObject(value) ? Object.entries(value) : [];
  const filled = members.filter(([, member]) => member && member !== true);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/** The page that was read last, what it says, and what was read before and announced. */
interface Progress extends ListPage {
  readonly of: ReturnType<typeof signsOf>;
  readonly context: CallContext;
  readonly first: URL;
  readonly pages: number;
  /** Number of connectors on these pages. */
  readonly received: number;
  readonly total: Sign<number> | undefined;
}

const greatest = (signs: readonly Sign<number>[]) => signs.toSorted((a, b) => b.value - a.value)[0];

/** The number of connectors on all pages. @throws AppError when it is less than what came, unless it falls */
function totalOf(progress: Progress): Sign<number> | undefined {
  const {context, of, list, pages, received, total: before} = progress;
  const size = list.elements.length;
  const total = greatest(of('total', readCount));
  // Some services count the connectors on the page.
  const isOfPage = before === undefined && (total?.value === size || pages > 1);
  if (total === undefined || (isOfPage && total.value <= received)) return before;
  const hasFallen = size > 0 && before !== undefined && total.value < before.value;
  if (total.value >= received || hasFallen) return total;
  throw incomplete(context, `its total is ${total.value} after ${received} connectors`, total);
}

/** The way to the next page; undefined after the last one. @throws AppError when connectors are missing */
function nextPage(progress: Progress): Lead | undefined {
  const {context, of, response, pages, received, total} = progress;
  const isLast = of('last', readFlag).map((sign) => ({...sign, value: !sign.value}));
  const flags = [...of('more', readMore), ...of('next', readFlag), ...isLast];
  /** Whether another page follows; undefined where the response does not say. */
  const more = flags.find(({value}) => value) ?? flags[0];
  const totals = of('total', readCount);
  const all = greatest([...(total ? [total] : []), ...of('count', readCount)]);
  const missing = all && all.value > received ? all : undefined;
  // A `page_count` may count the connectors on the page, so a total decides.
  const isReached = totals.some(({value}) => value > 0 && received >= value);
  const isPart = response.status === 206 && pages === 1 && !all && totals.length === 0;
  const open: readonly {readonly name: string}[] = [
    ...of('pages', readCount).filter(({value}) => value > pages && !isReached),
    ...(isPart ? [{name: '206'}] : []),
    ...[...of('next', readMembers), ...of('cursor', readMembers)],
  ];
  const doubt = missing ?? (more ? [more].filter(({value}) => value) : open)[0];
  const lead = more?.value === false ? undefined : leadIn(progress, doubt !== undefined);
  if (lead || !doubt) return lead;
  const violation = missing
    ? `it ends after ${received} of ${missing.value} connectors`
    : 'it announces more connectors, but not how to request them';
  throw incomplete(context, violation, doubt);
}

/** The page that a link leads to, else a cursor, else, in doubt, a page number or an offset. */
function leadIn(progress: Progress, isInDoubt: boolean): Lead | undefined {
  const {context, of, list, response} = progress;
  const {searchParams: sent, href} = response.url;
  const size = list.elements.length;
  // A service that knows its last page shows a next one behind it too.
  if (size === 0 && of('last', readCursor).length > 0) return undefined;
  const [link] = of('next', readLink);
  if (link) {
    const url = URL.canParse(link.value, href) ? new URL(link.value, href) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return {value: url, name: link.name};
    throw incomplete(context, 'the address of its next page is not a URL', link);
  }
  const [number] = of('page', readCount);
  // Behind the last page, some services send the number of the first page or of this one.
  const isAhead = (sign: Sign<string>) =>
    parameterOf(sign) !== 'page' ||
    !(Number(sign.value) <= (number?.value ?? Number(sent.get('page') ?? (sign.siblings ? 0 : 1))));
  // Some services send the cursor of the page itself.
  const isNew = (sign: Sign<string>) => sent.get(parameterOf(sign)) !== sign.value;
  const next = of('next', readCursor).filter((sign) => isAhead(sign) && (size > 0 || isNew(sign)));
  const others = [...of('cursor', readCursor), ...of('offset', readToken)].filter(isNew);
  const [cursor] = [...next, ...others];
  if (cursor) return withParameters(progress, cursor, {[parameterOf(cursor)]: cursor.value});
  const [members] = of('next', readMembers);
  const isReadable = members && Object.values(members.value).every((value) => readLabel(value));
  if (isReadable) return withParameters(progress, members, members.value);
  const sign = number ?? of('offset', readCount)[0];
  if (!isInDoubt || size === 0 || sign === undefined) return undefined;
  const limit = of('limit', readCount).find(({value}) => value > 0 && !number);
  return withParameters(progress, sign, {
    [parameterOf(sign)]: sign.value + (number ? 1 : size),
    ...(limit && {[parameterOf(limit)]: limit.value}),
  });
}

/** The query parameter for a field: `page_token` for `next_page_token`. */
function parameterOf({name, letters, siblings}: Sign<unknown>): string {
  const own = name.replace(
    /^(?:current|next)[-_]?(?!(?:token|batch)$|[-_]|$)(.)/i,
    (_, letter: string) => letter.toLowerCase(),
  );
  const parameter = paging.parameters.get(letters) ?? own.replaceAll('-', '_');
  const dialect = paging.dialects.find(([fields]) => fields.test(siblings))?.[1] ?? '#';
  return dialect.replace('#', () => parameter);
}

/** The first page's address with query parameters, which a field leads to. */
function withParameters({first}: Progress, {name}: Sign<unknown>, parameters: JsonObject): Lead {
  const url = new URL(first);
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, String(value));
  return {value: url, name};
}
