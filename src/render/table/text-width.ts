import type {TextMeasurer} from './unicode-width.js';

export type {Measured, TextMeasurer} from './unicode-width.js';

const ascii = /^[\x20-\x7e]*$/;

const asciiMeasurer: TextMeasurer = {
  measure: (text) => ({text, width: text.length}),
  cut: (measured, width) =>
    measured.width <= width ? measured : {text: `${measured.text.slice(0, width - 1)}…`, width},
};

/**
 * A ruler that is right for all of these texts. Unicode's is loaded only when one of them needs it:
 * it costs 30 ms at start.
 */
export async function measurerFor(texts: Iterable<string>): Promise<TextMeasurer> {
  for (const text of texts) {
    if (!ascii.test(text)) return (await import('./unicode-width.js')).unicodeMeasurer;
  }
  return asciiMeasurer;
}
