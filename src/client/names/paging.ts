/** The words in the names of paging fields, by kind. Any other word has the kind `other`. */
const words = {
  next: 'next continue resumption suivant seguinte siguiente volgende nasta',
  continuation: 'continuation',
  after: 'after older',
  before: 'before',
  more: 'more',
  truncated: 'truncated',
  exceeded: 'exceeded',
  incomplete: 'incomplete',
  last: 'last end done',
  remaining: 'remaining restantes',
  total: 'total celkem totaal',
  all: 'all grand estimated',
  count: 'count pocet',
  numberOf: 'nb num qtd',
  number: 'number no',
  found: 'found traffar',
  hits: 'hits',
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
  item: 'item items record records registros row rows result results resources docs entities entries objects collection data changes stream',
  element: 'elements',
  connectors: 'connectors',
  available: 'available',
  helping: 'has have is in of at de tiene',
  pagination: 'pagination paging pager paginator pageable paginacao paginacion cursors',
  meta: 'meta metadata info information context header summary view additional filters',
  list: 'list response',
  mode: 'mode',
  /** A header with one of these words is not about the pages of a list. */
  foreign: 'rate ratelimit request sync previous prev',
} as const;
const kindOf = new Map<string, string>(
  Object.entries(words).flatMap(([kind, all]) => all.split(' ').map((word) => [word, kind])),
);
const anyWord = [...kindOf.keys()].sort((a, b) => b.length - a.length).join('|');

/**
 * The words in the documented names of paging fields and headers, and the combinations of words that are a sign. A
 * number whose name has any other word, such as a quota, is never a sign. The table of the test holds the service, the
 * version and the documentation for each word.
 */
export const paging = {
  /** The kind of each word. */
  kindOf,
  /** Matches a word. A name that joins only known words, such as `nextpage`, is split into them. */
  word: new RegExp(`(?:${anyWord})(?=(?:${anyWord})*(?![a-z]))|[a-z]+`, 'g'),
  /** Each sign, by the kinds of the words in a name without its namespace (`@odata.`, `hydra:`, `X-`). */
  signs: {
    /** The address of the next page, a value that leads to it, or an object with one of these. */
    next: /^(?! continuation token$) (next|continuation)( next| continuation| after| before| page| pages| pagination| cursor| token| id| address| link| offset| start| number| item| range| max| index)*$|^ next( other)+ (token|cursor)$|^( page| cursor| token)+ next$|^ after address$|^ last id id$|^ scroll( id| cursor)$/,
    /** A value that leads to the next page, if one exists. */
    cursor:
      /^( last| after| page| pagination)? cursor$|^ scroll$|^( search)? after$|^ offset$|^( page| pagination| continuation) token$|^ pagination id$/,
    /** Whether another page follows. */
    more: /^( helping)* more( available| helping| item| page| pages)*$|^( helping)+ next( page| pages| item)*$|^ next( page| item)* helping$|^( helping)* truncated$/,
    /** True: another page follows. False says nothing. */
    part: /^( helping)* more( available| helping| connectors| item| page| other)+$|^ next( page| item)+ other$|^ incomplete item$|^( helping| item| page| transfer)*( exceeded limit| limit exceeded| exceeded transfer limit)$/,
    /** Whether this is the last page; a text value is the address of the last page. */
    last: /^( helping)* last( helping| page| item)*$/,
    page: /^( current)? page( number| numberOf| page| current)?$|^ number$/,
    /** The number of pages. */
    pages:
      /^( all| total| number| numberOf| helping)* pages$|^ total page$|^( total)? pages? count$|^ pages total$|^ max page$|^ last page( number)?$/,
    /** The number of connectors before this page, or the position of its first one; a text value is a cursor. */
    offset: /^( item)? offset$|^ start( helping| index)?$/,
    limit: /^( item)? limit$/,
    /** The number of connectors on all pages. */
    total:
      /^( all)* total( number| count| size| helping| item| element| found| hits| connectors)*$|^ all( count| item)+$|^( item| count| helping)+ total$|^ number helping item$|^ item available$|^ max ergebnisse$|^( numberOf)? found$|^ numberOf hits$|^ content range$/,
    /** The number of connectors, on this page or on all pages. */
    count: /^( item)? count$|^ numberOf item$|^ page total$/,
    /** The number of pages or connectors after this page. */
    remaining: /^ remaining( page| pages| item)( count)?$|^( page| pages| item) remaining$/,
    /** A word for the state of the list, such as `truncated`. */
    mode: /^ item mode$/,
    /** An object beside a list that describes its pages. */
    description:
      /^(?=.* (meta|pagination|pages?|cursor)\b)( (meta|pagination|pages?|cursor|item|list))+$| link$/,
  },
  /** The words that a vendor puts before the sign in the name of a header. */
  vendor: /^ other( pagination| meta)*(?=( \w+){2}| cursor$)/,
  /** The name of a flag of paging that some services put into the last element of a list. */
  inLast: /^_more_/,
  /** Maximum length of a name that is evaluated, in UTF-16 code units. */
  longest: 64,
  /** Signs with their values for another page and for no further page. */
  flags: [
    ['more', /^(true|1)$/i, /^false$/i],
    ['part', /^(true|1)$/i, undefined],
    ['mode', /^truncated$/i, undefined],
    ['next', /^true$/i, /^false$/i],
    ['last', /^false$/i, /^true$/i],
  ],
  /** A link in a `Link` header that leads to the next page, unless it has no results. */
  nextLink: /;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next(?![^\s;,]))(?!.*;\s*results="?false)/is,
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
  ]),
  /** Forms of query parameters (`#` is the name), by all field names of the object that describes the page. */
  dialects: [
    [/(^| )next (.* )?pages( |$)/, 'page'],
    [/^next_page_number number /, 'page'],
    [/^data limit skip total$/, '$#'],
    [/^page pageCount pageSize total$/, 'pagination[#]'],
  ],
} as const;
export type PagingSign = keyof typeof paging.signs;
