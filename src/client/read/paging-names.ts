/** What a field or a header beside a list says about the list. */
export type Role =
  /** The number of connectors on all pages. */
  | 'total'
  /** The number of connectors, of this page or of all. */
  | 'count'
  /** Of connectors that are not on this page. */
  | 'remaining'
  | 'page'
  | 'pages'
  /** The number of the last page. */
  | 'lastPage'
  /** The most connectors on a page. */
  | 'size'
  /** How many connectors come before this page. */
  | 'offset'
  /** Whether there are more. */
  | 'more'
  /** Whether this is the last page. */
  | 'ended'
  /** The address of the next page, or a value that leads to it. */
  | 'next'
  /** A cursor that leads to the next page, if there is one. */
  | 'cursor';

const thing =
  '(?:items?|results?|elements?|records?|rows?|entr(?:y|ies)|objects?|resources?|documents?|docs?|hits?|match(?:es)?|connectors?|nodes?|edges?|collection|list)';
const counted = '(?:items|results|records|rows|entries|hits|matches|connectors)';
const many = '(?:count|size|numbers?|num|nb|amount|quantity|length|cnt)';
const nextWords =
  'page|cursor|token|marker|link|url|uri|href|path|key|offset|start|at|index|skip|from|id|after|position|continuation|request|range|number|num|batch|query|params?';

/**
 * Roles by the letters of a name in lower case: services write one name as `total_pages`, `totalPages`, `TotalPages`,
 * `X-Total-Pages`, `X-WP-TotalPages`. The first match wins. Each pattern is a grammar of names rather than a list of
 * them, because a list lacks the name of the next service. It matches whole names, so that `total_bytes`
 * and `heartbeat_count` have no role.
 */
const patterns: readonly (readonly [Role, string])[] = [
  [
    'more',
    `(?:has|is|are|thereis|thereare)?(?:more|truncated|incomplete|partial|cutoff)(?:${thing}|pages?|data|available|incollection|exists?)*`,
  ],
  ['more', `(?:has|is|thereis)next(?:${thing}|pages?)?`],
  ['lastPage', '(?:last|final)page(?:number|index)?'],
  [
    'ended',
    `(?:is|has|at|reached)?(?:the)?(?:last|final|end|eof|done|completed?|finished|exhausted)(?:page|reached|of|the|${thing})*`,
  ],
  ['next', `next(?:${nextWords}|${thing})*`],
  ['next', 'continu(?:e|ation)(?:token|key|cursor|id)?|lastevaluatedkey'],
  ['cursor', '(?:end|after|last)?cursor|after'],
  ['page', '(?:current|this|active)?page(?:number|num|no|nr|index)?|number'],
  ['pages', `(?:total|max|${many})?(?:${many})?(?:of)?pages(?:total|count)?`],
  ['pages', '(?:total|max)page(?:count|number)?|pagecount'],
  ['size', `(?:${thing}per|per|max)page|page(?:size|limit|length)`],
  ['size', 'limit|take|max(?:results|items|records|rows|entries|hits)'],
  ['offset', 'offset|skip|from|start(?:at|index|from|position|offset)?'],
  ['remaining', `remaining(?:${thing}|${many})+|${thing}remaining`],
  ['total', `(?:grand|overall|full)?total(?:${many}|${thing}|of|available|found|matched)*`],
  ['total', `(?:${many}|${thing}|of)*(?:total|found|matched)(?:${many}|${thing})*`],
  [
    'count',
    `count|(?:${many}(?:of)?)?${thing}${many}|(?:num|nb|numberof|countof)${thing}|${counted}`,
  ],
];
const grammar = patterns.map(([role, pattern]) => [role, new RegExp(`^(?:${pattern})$`)] as const);

/** Words before a name that add nothing to it. */
const prefix = /^(?:x|odata|opensearch|wp|ms|amz|meta|pagination|paging|pager|list|query)+(?=.)/;

/** A namespace before a name: `hydra:totalItems`, `@odata.count`. */
const namespace = /^.*[:.@]/;

const known = new Map<string, Role | undefined>();

/** The role of a field or header by its name; undefined when it says nothing about the list. */
export function roleOf(name: string): Role | undefined {
  if (!known.has(name)) {
    const find = (text: string) => grammar.find(([, pattern]) => pattern.test(text))?.[0];
    const roleIn = (letters: string) => find(letters.replace(prefix, '')) ?? find(letters);
    known.set(name, roleIn(lettersOf(name.replace(namespace, ''))) ?? roleIn(lettersOf(name)));
  }
  return known.get(name);
}

/** The letters of a name in lower case. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/** Names whose query parameter is not what follows `next`, or the name itself. */
const parameters: Readonly<Record<string, string>> = {
  next_token: 'next_token',
  nextToken: 'nextToken',
  NextToken: 'NextToken',
  NextMarker: 'marker',
  next: 'cursor',
  endCursor: 'after',
  end_cursor: 'after',
  number: 'page',
  nextPageStart: 'start',
};

/** The query parameter for the value of a field or header: `page_token` for `next_page_token`. */
export function parameterOf(name: string): string {
  const own = parameters[name];
  if (own !== undefined) return own;
  const plain = name
    .replace(/^(?:x-|.*[.:@])/i, '')
    .replace(/^(?:current|this|active)[-_]?(?=page)/i, '');
  const rest = /^next[-_]?(.+)$/i.exec(plain)?.[1] ?? plain;
  return (rest.charAt(0).toLowerCase() + rest.slice(1)).replaceAll('-', '_');
}
