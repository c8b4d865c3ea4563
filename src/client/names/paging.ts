/** The words in the names of paging fields, by kind. Any other word has the kind `other`. */
const words = {
  next: 'next continue resumption suivant seguinte siguiente volgende nasta',
  continuation: 'continuation',
  after: 'after older',
  before: 'before',
  more: 'more additional',
  truncated: 'truncated',
  partial: 'partial incomplete cutoff',
  out: 'timed',
  exceeded: 'exceeded',
  last: 'last end done',
  complete: 'complete',
  remaining: 'remaining restantes',
  lost: 'omitted unreachable',
  failed: 'failed',
  shards: 'shards',
  total: 'total celkem totaal',
  all: 'all grand estimated',
  count: 'count counts pocet',
  numberOf: 'nb num qtd',
  number: 'number no',
  found: 'found traffar matched hits',
  size: 'size set',
  current: 'current atual',
  page: 'page pagina sida',
  pages: 'pages paginas sidor',
  ergebnisse: 'ergebnisse',
  max: 'max',
  cursor: 'cursor curseur marker bookmark',
  scroll: 'scroll',
  token: 'token',
  id: 'id key str reference batch evaluated',
  search: 'search',
  address: 'href url uri',
  link: 'link links',
  offset: 'offset',
  start: 'start starts skip',
  index: 'index',
  limit: 'limit',
  transfer: 'transfer',
  range: 'range',
  content: 'content',
  item: 'item items result resources docs entities entries objects collection data changes stream',
  records: 'record records registros results',
  row: 'row rows',
  element: 'elements',
  connectors: 'connectors connector',
  available: 'available',
  helping: 'has have is in of at de tiene visible',
  pagination: 'pagination paging pager paginator pageable paginacao paginacion cursors',
  meta: 'meta metadata info information context header summary view filters',
  list: 'list response',
  mode: 'mode status',
  notice: 'notices warnings',
  /** With one of these words, a name is no sign but of a text, a notice or links. */
  foreign: 'rate ratelimit request sync previous prev',
} as const;
const kindOf = new Map<string, string>(
  Object.entries(words).flatMap(([kind, all]) => all.split(' ').map((word) => [word, kind])),
);
const anyWord = [...kindOf.keys()].sort((a, b) => b.length - a.length).join('|');
/** Matches a word. A name that joins only known words, such as `nextpage`, is split into them. */
const word = new RegExp(`(?:${anyWord})(?=(?:${anyWord})*(?![a-z]))|[a-z]+`, 'g');
/** Kinds of words for what a list holds. */
const what = ' item| records| row| element| connectors| list| search';
/** Matches names by the kinds of their words. */
const sign = (...forms: readonly string[]) => new RegExp(`^(?:${forms.join('|')})$`);

/**
 * The words in the documented names of paging fields and headers, and the combinations of words that are a sign. A
 * count with other words, such as `x-quota-total`, is rarely one. The table of the test holds the service, the version
 * and the documentation for each word.
 */
export const paging = {
  /** The kind of each word. */
  kindOf,
  word,
  /**
   * Each sign, by the kinds of the words in a name without its namespace (`@odata.`, `hydra:`, `X-`), after those of the
   * objects that hold it. A word such as `truncated`, which needs no other, counts beside all but the foreign ones.
   */
  signs: {
    /** The address of the next page, a value that leads to it, an object with one of these, or whether it exists. */
    next: sign(
      `(?! continuation token$| scroll)(?=.* (next|continuation)\\b)( next| continuation| after| before| page| pages| pagination| cursor| token| id| address| link| offset| start| number| range| max| index| scroll| size|${what})+`,
      '( other)* next( other)+ (token|cursor)',
      '( other)+ (next|continuation)( page| cursor| token| link| address)+',
      ' after address',
      ` more( other|${what})*( address| link)`,
      ' last id id',
      ' scroll( id| cursor)',
    ),
    /** The address of the next page, in a name or an object with other words. */
    nextAddress: sign('( other)+ next'),
    /** A value that leads to the next page, if one exists. */
    cursor: sign(
      '( pages)?( after| page| pagination)? cursor',
      ' scroll',
      '( search)? after',
      ' offset',
      '( page| pagination| continuation| start) token',
      ' pagination id',
    ),
    /** The cursor of the last connector on this page; ignored once as many connectors as the total were received. */
    lastCursor: sign('( pages)? last cursor'),
    /** Whether another page follows. */
    more: sign(
      `( helping|${what})* more( available| helping| page| pages|${what})*`,
      `( helping)+ next( page| pages|${what})*`,
      `( helping)* next( page|${what})* helping`,
      `( helping|${what})* truncated`,
    ),
    /** True: another page follows. False says nothing. */
    part: sign(
      '(?!.* (foreign|number more))(?=.* (more|truncated)\\b).*',
      '(?!.* foreign)(?=.* next\\b)(?=.* (page|pages|item|records|row|element|helping|size)\\b).*',
      '(?=.* helping\\b)(?=.* remaining\\b)( helping| remaining)+',
      '( helping| item| records| page| transfer)*( exceeded limit| limit exceeded| exceeded transfer limit)',
    ),
    /** Whether this is the last page; any other value leads to the last page. */
    last: sign(
      `( helping| all|${what})* last( helping| page|${what})*`,
      `( helping)* number more( available| page| pages|${what})*`,
    ),
    /** False: another page follows. True says nothing. */
    complete: sign(`( helping|${what})* complete`),
    page: sign('( pages)?( current)? page( number| numberOf| page| current)?', ' number'),
    /** The number of pages. */
    pages: sign(
      '( pages)?( all| total| number| numberOf| count| helping)* pages( available| total| count| helping)*',
      '( pages)?( all)* total( number| count| helping)* page( count| number)*',
      '( count| numberOf| number helping)( helping)* page',
      ' page count',
      ' max page',
      '( pages)? last( helping)* page( number| index)?',
    ),
    /** The number of connectors before this page, or the position of its first one; a text in `offset` is a cursor. */
    offset: sign('( item| records)? offset', ' start( helping| index)?'),
    size: sign(' size'),
    limit: sign('( item| records)? limit'),
    /** The number of connectors on all pages. */
    total: sign(
      `(?=.* (total|found)\\b)( pages total(?= \\w))?( total| all| count| numberOf| number| size| found| helping| available|${what})+`,
      `( pages)? all( count|${what})+`,
      '( pages)? records',
      ' pages item',
      `( number helping)?(${what}) available`,
      ` number helping(${what})`,
      ' max ergebnisse',
      '( content| item| records) range',
    ),
    /** The number of connectors, on this page or on all pages. */
    count: sign(
      `( pages)?( helping|${what})* count( helping|${what})*`,
      '( pages)? numberOf( helping)*( item| records| element| connectors)',
      ' page total',
      ' total( other)+( item| records| row| element| connectors)',
    ),
    /** The number of pages or connectors after this page. */
    remaining: sign(
      '( meta| pagination| page| pages| count)* remaining',
      `( meta| count)*(?=.* remaining\\b)(?! remaining$)( remaining| more| helping| page| pages| count| numberOf| number|${what})+`,
    ),
    /** What the list leaves out, or how much of it. */
    lost: sign(
      `( helping| count| numberOf| pagination| meta|${what})* lost( count|${what})*`,
      ' shards failed',
    ),
    /** True: the list is not complete. */
    partial: sign('(?!.* foreign).* (partial|out)( .*)?'),
    /** A word for the state of the list, such as `partial`. */
    mode: sign(`( meta|${what})* mode`),
    text: sign('.*'),
    /** An array of texts, or of objects with texts, about the list. */
    notice: sign('.* notice'),
    /** An object that describes the pages of a list, or an array of links to them. */
    description: sign(
      '(?!.* foreign)(?=.* (pagination|page|cursor|range|pages meta)\\b).*',
      `(?=.* meta\\b)( meta|${what})+`,
      '.* link',
    ),
  },
  /** Matches the kinds of an object's fields if they hold a place in a list and its length: it describes the list. */
  describing:
    /(?=(.*;)?( current)?( page| offset)( number| numberOf| index)?;).* (total|pages|found)\b/,
  /** Maximum number of names whose words are kept. */
  mostKnown: 1000,
  /** Maximum number of consecutive empty pages. */
  mostEmptyPages: 100,
  /** Maximum number of levels of objects that are searched, and of fields in one whose name is no `description`. */
  deepest: 3,
  widest: 64,
  /** The words that a vendor puts before the sign in the name of a header. */
  vendor: /^ other( pagination| meta)*(?=( \w+){2}| cursor$)/,
  /** The beginning of the name of a paging flag that some services put into the last element of a list. */
  inLast: /^_more_/,
  /** Maximum length of a name that is evaluated, in UTF-16 code units. */
  longest: 64,
  /** Signs with their values for another page and for no further page. */
  flags: [
    ['more', /^(true|yes|y|[1-9]\d*)$/i, /^(false|no|n)$/i],
    ['part', /^(true|yes|y)$/i, undefined],
    ['remaining', /^[1-9]\d*$/, undefined],
    ['next', /^true$/i, /^false$/i],
    ['last', /^(false|no|n)$/i, /^(true|yes|y)$/i],
    ['complete', /^(false|no|n)$/i, undefined],
  ],
  /** Signs with their values for connectors that no page of the list holds. */
  losses: [
    ['lost', /^(?!(0|false|no|none|null)?$)/i],
    ['partial', /^(true|yes|y)$/i],
    ['mode', /^(truncated|incomplete|partial)/i],
    [
      'text',
      /^(truncated|incomplete)$|\b(results?|list|response|output|data|rows) ([\w-]+ ){0,4}(truncated|trimmed|incomplete|cut off)\b/i,
    ],
  ],
  /** A link in a `Link` header that leads to the next page, unless it has no results. */
  nextLink:
    /<([^>]*)>(?=[^<]*;\s*rel\s*=\s*("([^"<]*\s)?next(\s[^"<]*)?"|next(?![^\s;,])))(?![^<]*;\s*results="?false)/i,
  /** A header that holds the members of an object as pairs. */
  pairs: /^\w+=\w+(, *\w+=\w+)+$/,
  /** Fields of an object that may hold an address. */
  addressNames: ['href', '@href', 'url', 'link', 'uri'],
  /** Values of a cursor field that mean that no cursor exists. */
  noCursor: /^(0|-\d+|\*|nil|none|null|true|false)$/i,
  /** A number, or the total in `items 0-9/25` (RFC 9110 §14.4). */
  count: /^(?:(?!bytes\b)(?:\S+ )?(?:\d+-\d+|\*)\/)?(\d+)$/,
  /** A namespace before a name. */
  namespace: /^.*[:.@$]|^(x-)?((ms|opc|wp|([a-z]+-)?(pagination|paging))-)?/i,
  /** The part of a field's name before the name of its query parameter, and the parameter's first letter. */
  prefix: /^(?:current|next)[-_]?(?!(?:token|batch)$|[-_]|$)(.)/i,
  /** Query parameters that differ from the field's name and from its part after `next` or `current`. */
  parameters: new Map([
    ['next', 'cursor'],
    ['nextcursorstr', 'cursor'],
    ['nextpagestartsafter', 'start_after_id'],
    ['nextpagecursor', 'cursor'],
    ['nextcontinuationtoken', 'continuation-token'],
    ['nextpagestart', 'start'],
    ['lastevaluatedkey', 'ExclusiveStartKey'],
    ['endcursor', 'after'],
    ['aftercursor', 'cursor'],
    ['itemslimit', 'limit'],
    ['itemsoffset', 'offset'],
    ['number', 'page'],
    ['pageno', 'page'],
    ['paginaatual', 'Pagina'],
    ['curseursuivant', 'curseur'],
    ['iotacursor', 'start'],
    ['nomadnexttoken', 'next_token'],
    ['nextpagelink', 'nextPageLink'],
    ['paginaseguinte', 'pagina-seguinte'],
    ['pagepage', 'page'],
    ['resultsoffset', 'offset'],
    ['resultslimit', 'limit'],
  ]),
  /** Forms of query parameters (`#` is the name), by all field names of the object that describes the page. */
  dialects: [
    [/(^| )next (.* )?pages( |$)/, 'page'],
    [/^next_page_number number /, 'page'],
    [/^data limit skip total$/, '$#'],
    [/^page pageCount pageSize total$/, 'pagination[#]'],
    [/^pageNumber pageSize total$/, 'pagenumber'],
    [/^currentItemCount currentPageNumber /, 'page'],
  ],
} as const;
export type PagingSign = keyof typeof paging.signs;

/** Keeps what it computed for the last texts, as the pages of a list have the same fields. */
function remember<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size === paging.mostKnown) known.clear();
    const value = compute(text);
    known.set(text, value);
    return value;
  };
}

/** The kinds of the words in a key without its namespace: ` next page` for `nextPage`. */
export const kindsIn = remember((key) => {
  const name = key.length > paging.longest ? '' : key.replace(paging.namespace, '');
  const found =
    name
      .replace(/([a-z])(?=[A-Z])/g, '$1 ')
      .toLowerCase()
      .match(word) ?? [];
  return found.map((one) => ` ${kindOf.get(one) ?? 'other'}`).join('');
});

/** The signs whose forms match the kinds of the words in a name. */
export const signsIn = remember((kinds): ReadonlySet<PagingSign> => {
  const signs = Object.entries(paging.signs) as [PagingSign, RegExp][];
  return new Set(signs.filter(([, form]) => form.test(kinds)).map(([name]) => name));
});
