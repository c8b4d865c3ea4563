/** Measures and cuts texts by terminal columns. Texts contain no control characters (see `escapeControl`). */
export interface TextMeasurer {
  /** The width in terminal columns. */
  width(text: string): number;
  /** Cuts a text to at most `width` columns, 1 or more; a cut text ends in `…`. */
  cut(text: string, width: number): string;
}

const ascii = /^[\x20-\x7e]*$/;

/**
 * A measurer for these texts, which counts wide characters, combining marks and emoji as `string-width` does. It loads
 * that library, which takes 30 ms, only if a text is not ASCII.
 */
export async function measurerFor(...lists: readonly (readonly string[])[]): Promise<TextMeasurer> {
  const isAscii = lists.every((texts) => texts.every((text) => ascii.test(text)));
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
