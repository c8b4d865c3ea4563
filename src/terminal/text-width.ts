/** Measures and cuts texts by terminal columns. Texts contain no control characters (see `escapeControl`). */
export interface TextMeasurer {
  /** In terminal columns. */
  width(text: string): number;
  /** Cuts a text to at most `width` columns, 1 or more; a cut text ends in `…`. */
  cut(text: string, width: number): string;
}

const ascii = /^[\x20-\x7e]*$/;

const asciiMeasurer: TextMeasurer = {
  width: ({length}) => length,
  cut: (text, width) => (text.length <= width ? text : `${text.slice(0, width - 1)}…`),
};

/**
 * A measurer that is right for all of these texts. It loads the library for Unicode, which takes 30 ms,
 * only if one of them needs it.
 */
export async function measurerFor(texts: Iterable<string>): Promise<TextMeasurer> {
  for (const text of texts) {
    if (!ascii.test(text)) return unicodeMeasurer((await import('string-width')).default);
  }
  return asciiMeasurer;
}

/** Measures wide characters, combining marks and emoji, and cuts only between graphemes. */
function unicodeMeasurer(width: (text: string) => number): TextMeasurer {
  return {
    width,
    cut: (text, columns) => {
      if (width(text) <= columns) return text;
      let used = 0;
      let end = 0;
      for (const {segment, index} of new Intl.Segmenter().segment(text)) {
        used += width(segment);
        if (used > columns - 1) break;
        end = index + segment.length;
      }
      return `${text.slice(0, end)}…`;
    },
  };
}
