import type {Json} from './types.js';

/** A number of 16 digits or more: from here on an integer may be one that a double cannot hold. */
const longNumber = /(?:^|[[:,])\s*-?\d{16}/;

/**
 * Parses a JSON text without losing a digit of its integers.
 *
 * @throws Error when it is not JSON. The error's message may hold parts of the text: drop it.
 */
export async function parseJson(text: string): Promise<Json> {
  const value: Json = JSON.parse(text);
  if (!longNumber.test(text)) return value;
  const {parseExactly} = await import('./json-stream.js');
  return parseExactly(text);
}
