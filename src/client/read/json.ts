import {isFragile, parseExactly} from '../../domain/json-source.js';
import type {Json} from '../types.js';
import {isTooDeep} from './fields.js';

/**
 * Parses a JSON text; what is in it can be written out again without any change (`sourceOf`).
 *
 * @throws Error when it is not JSON. The error's message may hold parts of the text: drop it.
 */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return isFragile(text) && !isTooDeep(value) ? parseExactly(text) : value;
}
