/** An assignment to a variable, as in instructions and environment files. */
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
 * A secret without the characters that were copied with it: surrounding white space, invisible characters such as
 * zero-width spaces, quotes, and an assignment to a variable.
 */
export function cleanSecret(text: string): string {
  const visible = withoutInvisible(text).trim();
  const value = visible.replace(assignment, '');
  const unquoted = withoutQuotes(value === visible ? value : value.replace(/;$/, ''));
  return unquoted.trim();
}

/** ASCII has no invisible characters (`Cf`), and compiling their class takes a millisecond at each start. */
function withoutInvisible(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(/\p{Cf}/gu, '') : text;
}

function withoutQuotes(text: string): string {
  const pair = quotes.find(([open, close]) => text.startsWith(open) && text.endsWith(close));
  return pair === undefined || text.length < 2 ? text : text.slice(1, -1);
}
