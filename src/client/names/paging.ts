/** The words in names about the pages of a list, by what they mean. Any other is `other`. */
const words = {
  next: 'next continue resumption suivant seguinte siguiente',
  continuation: 'continuation',
  after: 'after older',
  before: 'before',
  more: 'more',
  truncated: 'truncated',
  exceeded: 'exceeded',
  incomplete: 'incomplete',
  last: 'last end done',
  remaining: 'remaining restantes',
  total: 'total celkem',
  all: 'all grand estimated',
  count: 'count pocet',
  numberOf: 'nb num qtd',
  number: 'number no',
  found: 'found',
  hits: 'hits',
  size: 'size set',
  current: 'current atual',
  page: 'page pagina',
  pages: 'pages paginas',
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
  helping: 'has have is available in of at de tiene',
  pagination: 'pagination paging pager paginator pageable paginacao paginacion cursors',
  meta: 'meta metadata info information context header summary view additional filters',
  list: 'list response',
  mode: 'mode',
  /** A header with one of them is about something else. */
  foreign: 'rate ratelimit request sync previous prev',
} as const;
const kindOf = new Map<string, string>(
  Object.entries(words).flatMap(([kind, all]) => all.split(' ').map((word) => [word, kind])),
);
const anyWord = [...kindOf.keys()].sort((a, b) => b.length - a.length).join('|');

/**
 * The words in the documented names of fields and headers about the pages of a list, and which of them together are a
 * sign. A number with another word, such as a quota, is never a sign. The table of the test holds the service, the
 * version and the documentation for each word.
 */
export const paging = {
  /** The kind of a word. */
  kindOf,
  /** A word, or one that is known where nothing but such words is joined: `nextpage`. */
  word: new RegExp(`(?:${anyWord})(?=(?:${anyWord})*(?![a-z]))|[a-z]+`, 'g'),
  /** By the kinds of the words of a name, without a namespace (`@odata.`, `hydra:`, `X-`). */
  signs: {
    /** The address of the next page, a value that leads to it, or an object with one of them. */
    next: /^(?! continuation token$) (next|continuation)( next| continuation| after| before| page| pages| pagination| cursor| token| id| address| link| offset| start| number| item| range| max| index)*$|^ next( other)+ (token|cursor)$|^( page| cursor| token)+ next$|^ after address$|^ last id id$|^ scroll( id| cursor)$/,
    /** A value that leads to the next page if there is one. */
    cursor:
      /^( last| after| page| pagination)? cursor$|^ scroll$|^( search)? after$|^ offset$|^( page| pagination| continuation) token$|^ pagination id$/,
    /** Whether another page follows. */
    more: /^( helping)* more( helping| item| page| pages)*$|^( helping)+ next( page| pages| item)*$|^ next( page| item)* helping$|^( helping)* truncated$/,
    /** That another page follows, if it is true; false says nothing. */
    part: /^( helping)* more( helping| connectors| item| page| other)+$|^ next( page| item)+ other$|^ incomplete item$|^( helping| item| page| transfer)*( exceeded limit| limit exceeded| exceeded transfer limit)$/,
    /** Whether this is the last page; a text is the address of the last page. */
    last: /^( helping)* last( helping| page| item)*$/,
    page: /^( current)? page( number| numberOf| page| current)?$|^ number$/,
    /** The number of pages. */
    pages:
      /^( all| total| number| numberOf| helping)* pages$|^ total page$|^( total)? pages? count$|^ pages total$|^ max page$|^ last page( number)?$/,
    /** The number of connectors before this page, or of its first one; a text leads to the next page. */
    offset: /^( item)? offset$|^ start( helping| index)?$/,
    limit: /^( item)? limit$/,
    /** The number of connectors on all pages. */
    total:
      /^( all)* total( number| count| size| helping| item| element| found| hits| connectors)*$|^ all( count| item)+$|^( item| count| helping)+ total$|^ number helping item$|^( numberOf)? found$|^ numberOf hits$|^ content range$/,
    /** The number of connectors, of this page or of all. */
    count: /^( item)? count$|^ numberOf item$|^ page total$/,
    /** The number of pages or connectors behind this page. */
    remaining: /^ remaining( page| pages| item)( count)?$|^( page| pages| item) remaining$/,
    /** What the list is, in a word. */
    mode: /^ item mode$/,
    /** An object beside a list that describes its pages. */
    description:
      /^(?=.* (meta|pagination|pages?|cursor)\b)( (meta|pagination|pages?|cursor|item|list))+$| link$/,
  },
  /** What a vendor puts before the sign in a header. */
  vendor: /^ other( pagination| meta)*(?=( \w+){2}| cursor$)/,
  /** A flag in the last element. */
  inLast: /^_more_/,
  /** The length of the longest name in letters. */
  longest: 64,
  /** Values that say that another page follows, and those that say that none does. */
  flags: [
    ['more', /^(true|1)$/i, /^false$/i],
    ['part', /^(true|1)$/i, undefined],
    ['mode', /^truncated$/i, undefined],
    ['next', /^true$/i, /^false$/i],
    ['last', /^false$/i, /^true$/i],
  ],
  /** A link in a `Link` header that leads to the next page, unless it has no results. */
  nextLink: /;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next(?![^\s;,]))(?!.*;\s*results="?false)/is,
  /** The fields of the address in an object. */
  addressNames: ['href', '@href', 'url', 'link', 'uri'],
  /** Values in the place of a cursor that stand for none. */
  noCursor: /^(0|-\d+|\*|nil|null|true|false)$/i,
  /** A number, or the total in `items 0-9/25` (RFC 9110 §14.4). */
  count: /^(?:(?!bytes\b)(?:\S+ )?(?:\d+-\d+|\*)\/)?(\d+)$/,
  /** What may stand before a name. */
  namespace: /^.*[:.@$]|^(x-)?((ms|opc|wp|([a-z]+-)?(pagination|paging))-)?/i,
  /** What the name of a field has before that of its query parameter, and the first letter of that. */
  prefix: /^(?:current|next)[-_]?(?!(?:token|batch)$|[-_]|$)(.)/i,
  /** Query parameters that are neither the name of the field nor its part after `next` or `current`. */
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
  /** How a service writes its parameters, by the names of all fields of the object that describes the page. */
  dialects: [
    [/(^| )next (.* )?pages( |$)/, 'page'],
    [/^next_page_number number /, 'page'],
    [/^data limit skip total$/, '$#'],
    [/^page pageCount pageSize total$/, 'pagination[#]'],
  ],
} as const;
export type PagingSign = keyof typeof paging.signs;
