/** Characters of a web page that are read: the expressions take the square of the length for some pages. */
const longestPage = 4096;

const entities = new Map(
  Object.entries({quot: '"', '#39': "'", amp: '&', lt: '<', gt: '>', nbsp: ' '}),
);

/**
 * Whether a body is a page of another program. Its media type says nothing: Express, NestJS, hapi, Flask, Sinatra and
 * PHP send any text as `text/html`.
 */
export function isHtml(text: string): boolean {
  return /^\s*</.test(text);
}

/** The lines of a text, or of the beginning of a web page, which has one for each element. */
export function linesOf(text: string): string[] {
  const shown = isHtml(text)
    ? text
        .slice(0, longestPage)
        .replace(/<(style|script)\b.*?(<\/\1>|$)/gis, '')
        .replace(/\s+/g, ' ')
        .replace(/<[^>]*>/g, '\n')
        .replace(/&(\w+|#39);/g, (all, name: string) => entities.get(name) ?? all)
    : text;
  return shown.split(/[\r\n]+/).map((line) => line.trim());
}
