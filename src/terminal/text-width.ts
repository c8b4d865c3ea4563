/** Measures and cuts texts by terminal columns. Texts contain no control characters (see `escapeControl`). */
export interface TextMeasurer {
  /** In terminal columns. */
  width(text: string): number;
  /** Cuts a text to at most `width` columns, 1 or more; a cut text ends in `…`. */
  cut(text: string, width: number): string;
}

const ascii = /^[\x20-\x7e]*$/;

/**
 * A measurer for these texts, which counts wide characters, combining marks and emoji correctly. It loads the library
 * for Unicode, which takes 30 ms, only if one of them needs it.
 */
export async function measurerFor(texts: readonly string[]): Promise<TextMeasurer> {
  const isAscii = texts.every((text) => ascii.test(text));
  const width = isAscii ? ({length}: string) => length : (await import('string-width')).default;
  return {
    width,
    cut(text, columns) {
      if (width(text) <= columns) return text;
      if (isAscii) return `${text.slice(0, columns - 1)}…`;
      let used = 0;
      let end = 0;
      // A cut falls only between graphemes.
      for (const {segment, index} of new Intl.Segmenter().segment(text)) {
        used += width(segment);
        if (used > columns - 1) break;
        end = index + segment.length;
      }
      return `${text.slice(0, end)}…`;
    },
  };
}

/** A command to copy, up to the end of its sentence, or a word. */
const whole = /connectorctl (?:(?!\.(?: |$)).)+\.?|\S+/g;

/** Breaks a line between words, but not within a command to copy: the terminal itself breaks what is too long. */
export function inLines(text: string, width: number, {width: measure}: TextMeasurer): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  for (const part of text.match(whole) ?? []) {
    const longer = `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && measure(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(part);
  }
  return lines;
}
