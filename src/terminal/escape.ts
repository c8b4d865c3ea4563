import type {ConnectorStatus} from '../contract/index.js';

/**
 * Matches invisible characters that may have an effect: control characters (C0, DEL, C1), format characters
 * (bidirectional overrides, isolates and marks, zero-width spaces, tags), line and paragraph
 * separators, other invisible code points, lone surrogates, and U+FFFE and U+FFFF, which YAML 1.1 allows only escaped.
 * Joiners and variation selectors are exempt: emoji and several scripts need them. The first character of a command
 * of a CI system has an effect too: `##vso[…]` and `##[…]` (Azure Pipelines, "Logging commands"), `##teamcity[…]`
 * (TeamCity, "Service Messages"), `::error::` at the start of a line (GitHub Actions, "Workflow commands").
 */
const unsafe = () =>
  // Made on use, which is rare: compiling takes as long as rendering a table. V8 caches what it compiled.
  /(?!\u200c|\u200d|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufffe\uffff]|#(?=#[A-Za-z]*\[)|(?<=^|\s):(?=:[A-Za-z][^\n]{0,4000}?::)/gu;

/** Whether a text is ASCII, by its length in bytes: counting them takes a fraction of the time of an expression. */
export const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/** Whether a text of ASCII without control characters may be a command of a CI system. */
const mayCommand = (text: string) => text.includes('##') || text.includes('::');

/** Writes the escape sequence of one code point. */
type Notation = (codePoint: number) => string;

/**
 * Makes a value from a service safe to show on a terminal: what could move the cursor, set the
 * title, or change the reading order is shown as `\x1b`, `\u202e` or `\u{e0041}`. A line feed is
 * escaped too, so the result is always one line. Backslashes are unchanged, so the result is
 * ambiguous: the JSON output has the exact value.
 */
export function escapeControl(text: string): string {
  // A fast test that nearly every text passes, so that the slow one is skipped.
  if (/^[\x20-\x7e]*$/.test(text) && !mayCommand(text)) return text;
  return text.replace(unsafe(), (character) => textNotation(character.codePointAt(0) ?? 0));
}

/**
 * Makes finished JSON or YAML text safe to show on a terminal without changing its meaning: in a quoted
 * string both formats read an escape as the character itself. Line feeds of the layout stay. The
 * caller ensures that unsafe characters occur only inside quotes, where `JSON.stringify` has escaped
 * all control characters before the space (U+0020).
 */
export function escapeUnsafe(text: string, notation: Notation): string {
  if (isAscii(text) && !text.includes('\x7f') && !mayCommand(text)) return text;
  return text.replace(unsafe(), (character) =>
    character === '\n' ? character : notation(character.codePointAt(0) ?? 0),
  );
}

/** `\u202e`; a code point beyond U+FFFF is two UTF-16 units (RFC 8259 §7). */
export const jsonNotation: Notation = (codePoint) =>
  String.fromCodePoint(codePoint)
    .split('')
    .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');

/** `\u202e`, or `\U000e0041`: YAML has no surrogate pairs (YAML 1.2 §5.7). */
export const yamlNotation: Notation = (codePoint) =>
  codePoint > 0xffff ? `\\U${hex(codePoint, 8)}` : `\\u${hex(codePoint, 4)}`;

/** Matches a cell that a spreadsheet evaluates (OWASP, CSV injection; full-width signs: Apple Numbers), marked or not. */
const formula = /^'*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** Marks a cell that a spreadsheet would evaluate as a text, by a leading apostrophe. */
export const markFormula = (cell: string) => (formula.test(cell) ? `'${cell}` : cell);

/** Undoes `markFormula`. */
export const unmarkFormula = (cell: string) =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

const textNotation: Notation = (codePoint) => {
  if (codePoint <= 0xff) return `\\x${hex(codePoint, 2)}`;
  return codePoint <= 0xffff ? `\\u${hex(codePoint, 4)}` : `\\u{${hex(codePoint, 1)}}`;
};

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

type Style = (text: string) => string;

/** Colors by their meaning. Each puts SGR sequences around a text, or nothing. */
export interface Palette {
  readonly success: Style;
  readonly warning: Style;
  readonly error: Style;
  readonly muted: Style;
}

const unstyled: Style = (text) => text;

/** The palette of an output without color. */
export const noColors: Palette = {
  success: unstyled,
  warning: unstyled,
  error: unstyled,
  muted: unstyled,
};

/** The palette of a terminal with colors. */
export async function sixteenColors(): Promise<Palette> {
  const {Chalk} = await import('chalk');
  const chalk = new Chalk({level: 1});
  return {success: chalk.green, warning: chalk.yellow, error: chalk.red, muted: chalk.dim};
}

const statusStyles: Readonly<Record<ConnectorStatus, keyof Palette>> = {
  online: 'success',
  stale: 'warning',
  offline: 'error',
  never: 'muted',
  revoked: 'muted',
};

/** Colors a status of the reference service; other statuses are unchanged. */
export function styleStatus(palette: Palette, status = '', shown: string): string {
  if (!Object.hasOwn(statusStyles, status)) return shown;
  return palette[statusStyles[status as ConnectorStatus]](shown);
}
