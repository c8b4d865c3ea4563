/**
 * Characters that have no shape of their own but may act: control characters (C0, DEL, C1), format
 * characters (bidirectional overrides, isolates and marks, zero-width spaces, tags), line and
 * paragraph separators, other invisible code points, and lone surrogates. Excepted are the joiners
 * and variation selectors, which emoji and several scripts are written with.
 */
const unsafe = () => {
  pattern ??= /(?!\u200c|\u200d|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;
  return pattern;
};
/** Made when it is first needed, which is hardly ever: it takes as long as the rest of a table. */
let pattern: RegExp | undefined;

/** Nearly every text is this, and is told so without the costly test. */
const plain = /^[\n\x20-\x7e]*$/;

/** Writes the escape sequence of one code point. */
type Notation = (codePoint: number) => string;

/**
 * Makes a value from a service safe to show on a terminal: what could move the cursor, set the
 * title, or change the order in which text is read is shown as `\x1b`, `\u202e` or `\u{e0041}`,
 * never obeyed. A line feed is escaped too, so the result is always one line. A backslash stays
 * as it is: this is for people; JSON output holds the exact value.
 */
export function escapeControl(text: string): string {
  return escapeUnsafe(text, textNotation).replaceAll('\n', '\\x0a');
}

/**
 * Makes finished JSON or YAML text safe to show on a terminal without changing what it says. Both
 * formats read an escape inside a quoted string as the character it stands for; the line feeds of
 * their layout stay. The caller makes sure that nothing unsafe stands outside quotes.
 */
export function escapeUnsafe(text: string, notation: Notation): string {
  if (plain.test(text)) return text;
  return text.replace(unsafe(), (character) =>
    character === '\n' ? character : notation(character.codePointAt(0) ?? 0),
  );
}

/** Whether a text holds anything that `escapeUnsafe` would escape. */
export function hasUnsafe(text: string): boolean {
  return !plain.test(text) && text.search(unsafe()) !== -1;
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

const textNotation: Notation = (codePoint) => {
  if (codePoint <= 0xff) return `\\x${hex(codePoint, 2)}`;
  return codePoint <= 0xffff ? `\\u${hex(codePoint, 4)}` : `\\u{${hex(codePoint, 1)}}`;
};

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
