/** A text and how many terminal columns it takes. */
export interface Measured {
  readonly text: string;
  readonly width: number;
}

/** Measures and cuts texts by terminal columns. Texts hold no control characters (see `escapeControl`). */
export interface Ruler {
  measure(text: string): Measured;
  /** Cuts to at most `width` columns, 1 or more; a text that was cut ends in `…`. */
  cut(measured: Measured, width: number): Measured;
}

const ascii = /^[\x20-\x7e]*$/;

const asciiRuler: Ruler = {
  measure: (text) => ({text, width: text.length}),
  cut: (measured, width) =>
    measured.width <= width ? measured : {text: `${measured.text.slice(0, width - 1)}…`, width},
};

/**
 * A ruler that is right for all of these texts. Unicode's is loaded only when one of them needs it:
 * it costs 30 ms at start.
 */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts) {
    if (!ascii.test(text)) return (await import('./unicode-ruler.js')).unicodeRuler;
  }
  return asciiRuler;
}
