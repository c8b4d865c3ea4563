/**
 * The documented names of fields and headers about the pages of a list. A number with another name, such as a quota, is
 * never a sign. The table of the test holds the service, the version and the documentation for each word.
 */
export const paging = {
  /** By the letters of a name, in lower case, without a namespace (`@odata.`, `hydra:`, `X-`). */
  signs: {
    /** The address of the next page, a value that leads to it, or an object with one of them. */
    next: /^(next|continuation)(batch|before|continuation|cursor|href|id|key|link|marker|offset|page|paging|records|reference|start|str|token|uri|url){0,4}$|^nextpage(number|startsafter)$|^(continue|afterurl|lastevaluatedkey|olderurl|paginaseguinte|scrollid)$/,
    /** A value that leads to the next page if there is one. */
    cursor: /^(cursor|endcursor|aftercursor|after|searchafter|bookmark|marker|offset|scroll)$/,
    /** Whether another page follows. */
    more: /^(has)?more(available|collection|data|in|items|pages?|records|results|rows){0,4}$|^hasnext(page)?$|^(is)?truncated$/,
    /** Whether this is the last page; a text is the address of the last page. */
    last: /^(is)?last(page)?$|^endof(stream|results)$|^done$/,
    page: /^(current)?page(number|no|page)?$|^number$|^paginaatual$/,
    /** The number of pages. */
    pages:
      /^(total|nb|num|numof|(total)?numberof)?pages$|^maxpage$|^pages?count$|^qtdpaginas$|^pagestotal$|^lastpage$/,
    /** The number of connectors before this page, or of its first one; a text leads to the next page. */
    offset: /^((items)?offset|skip|start(at|index)?)$/,
    limit: /^(items)?limit$/,
    /** The number of connectors on all pages. */
    total:
      /^(estimated|grand)?total(connectors|count|docs|elements|entities|entries|hits|items?|numberof|records?|results|rows|size){0,4}$|^items(in)?total$|^allrows$|^recordstotal$|^resulttotal$|^numberof(items|objects)$|^contentrange$|^(num)?found$|^nbhits$/,
    /** The number of connectors, of this page or of all. */
    count: /^count$|^pagetotal$/,
    /** An object beside a list that describes its pages. */
    description:
      /^(page|pages|paginacao|paging|pagination|paginator)(able|context|info|metadata)?$|^(list|response)?meta(data)?$|^additionaldata$|^cursors$|^(list|result)?info$|links?$|^(summary|view)$/,
  },
  /** Values that say that another page follows, and those that say that none does. */
  flags: [
    ['more', /^(true|1)$/i, /^false$/i],
    ['next', /^true$/i, /^false$/i],
    ['last', /^false$/i, /^true$/i],
  ],
  /** The fields of the address in an object. */
  addressNames: ['href', 'url', 'link', 'uri'],
  /** The end of the name of an address. */
  addressEnd: /(href|link|uri|url)$/,
  /** Values in the place of a cursor that stand for none. */
  noCursor: /^(0|-\d+|nil|null|true|false)$/i,
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
    ['paginaseguinte', 'pagina-seguinte'],
    ['pagepage', 'page'],
  ]),
  /** How a service writes its parameters, by the names of all fields of the object that describes the page. */
  dialects: [
    [/(^| )next (.* )?pages( |$)/, 'page'],
    [/^data limit skip total$/, '$#'],
    [/^page pageCount pageSize total$/, 'pagination[#]'],
  ],
} as const;
export type PagingSign = keyof typeof paging.signs;
