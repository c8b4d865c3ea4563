import stringWidth from 'string-width';

/** Measures and cuts texts by terminal columns. Texts contain no control characters (see `escapeControl`). */
export interface TextMeasurer {
  /** The text as it is shown on its own: nothing in it combines with what stands before it. */
  standalone(text: string): string;
  /** In terminal columns. */
  width(text: string): number;
  /** Cuts a text to at most `width` columns, 1 or more; a cut text ends in `…`. */
  cut(text: string, width: number): string;
}

const graphemes = new Intl.Segmenter();

/**
 * A mark or a joiner at the start would combine with the character before it on the line, or take no
 * column at all. It is shown on a dotted circle, as in the Unicode charts.
 */
const joinsBackward = /^(?:\p{M}|\p{EMod}|\u200c|\u200d)/u;

/** Measures wide characters, combining marks and emoji, and cuts only between graphemes. */
export const unicodeMeasurer: TextMeasurer = {
  standalone: (text) => (joinsBackward.test(text) ? `\u25cc${text}` : text),
  width: stringWidth,
  cut: (text, width) => {
    if (stringWidth(text) <= width) return text;
    let used = 0;
    let end = 0;
    for (const {segment, index} of graphemes.segment(text)) {
      used += stringWidth(segment);
      if (used > width - 1) break;
      end = index + segment.length;
    }
    return `${text.slice(0, end)}…`;
  },
};
