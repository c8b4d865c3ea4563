/** An assignment to a variable, as in instructions and environment files. */
const assignment =
  /^(?:export\s+\w+|set\s+\w+|\$env:\w+|CONNECTORCTL_\w+|\w+(?==["']?(?:act|cc?k)_))\s*=\s*(?=\S)/;

/** A text in quotes: straight, backticks, or typographic. */
const quoted = /^(?:"(.*)"|'(.*)'|`(.*)`|\u201c(.*)\u201d|\u2018(.*)\u2019)$/s;

/**
 * A secret without the characters that were copied with it: surrounding white space, invisible characters such as
 * zero-width spaces, quotes, and an assignment to a variable.
 */
export function cleanSecret(text: string): string {
  const visible = withoutInvisible(text).trim();
  const value = visible.replace(assignment, '');
  const word = value === visible ? value : value.replace(/;$/, '');
  return unquoted(word).trim();
}

/** A text without the quotes around it. */
export function unquoted(text: string): string {
  return text.replace(quoted, '$1$2$3$4$5');
}

/** Removes invisible characters (`Cf`). ASCII has none, and compiling their class would cost a millisecond. */
function withoutInvisible(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(/\p{Cf}/gu, '') : text;
}
