/** An assignment to a variable, as instructions and environment files have it. */
const assignment =
  /^(?:export\s+\w+|set\s+\w+|\$env:\w+|CONNECTORCTL_\w+|\w+(?==["']?(?:act|cc?k)_))\s*=\s*(?=\S)/;

const quotes: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
];

/**
 * A secret without what copying it brought along: white space around it, characters that have no
 * shape, such as a zero-width space, quotes, and the assignment to a variable.
 */
export function cleanSecret(text: string): string {
  const visible = text.replace(/\p{Cf}/gu, '').trim();
  const value = visible.replace(assignment, '');
  const unquoted = withoutQuotes(value === visible ? value : value.replace(/;$/, ''));
  return unquoted.trim();
}

function withoutQuotes(text: string): string {
  const pair = quotes.find(([open, close]) => text.startsWith(open) && text.endsWith(close));
  return pair === undefined || text.length < 2 ? text : text.slice(1, -1);
}
