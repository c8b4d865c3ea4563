import stringWidth from 'string-width';

/** A text and its width in terminal columns. */
export interface Measured {
  readonly text: string;
  readonly width: number;
}

/** Measures and cuts texts by terminal columns. Texts contain no control characters (see `escapeControl`). */
export interface TextMeasurer {
  measure(text: string): Measured;
  /** Cuts a text to at most `width` columns, 1 or more; a cut text ends in `…`. */
  cut(measured: Measured, width: number): Measured;
}

const graphemes = new Intl.Segmenter();

/**
 * A mark or a joiner at the start would combine with the character before it on the line, or take no
 * column at all. It is shown on a dotted circle, as in the Unicode charts.
 */
const joinsBackward = /^(?:\p{M}|\p{EMod}|\u200c|\u200d)/u;

/** Measures wide characters, combining marks and emoji, and cuts only between graphemes. */
export const unicodeMeasurer: TextMeasurer = {
  measure: (text) => {
    const shown = joinsBackward.test(text) ? `\u25cc${text}` : text;
    return {text: shown, width: stringWidth(shown)};
  },
  cut: (measured, width) => {
    if (measured.width <= width) return measured;
    let used = 0;
    let end = 0;
    for (const {segment, index} of graphemes.segment(measured.text)) {
      const next = used + stringWidth(segment);
      if (next > width - 1) break;
      used = next;
      end = index + segment.length;
    }
    return {text: `${measured.text.slice(0, end)}…`, width: used + 1};
  },
};
