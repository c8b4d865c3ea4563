import type {Json} from '../../domain/json.js';
import {isFragile, parseExactly} from '../../domain/json-source.js';
import {isTooDeep} from '../fields.js';

/**
 * Parses a JSON text. Its values can be serialized again without any change (`sourceOf`).
 *
 * @throws Error when it is not JSON; its message may hold parts of the text, so drop it
 */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return isFragile(text) && !isTooDeep(value) ? parseExactly(text) : value;
}

/** The same; undefined when it is not JSON. */
export function parseJsonOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
