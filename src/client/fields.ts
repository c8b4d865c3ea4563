import type {Json, JsonObject} from '../domain/json.js';

/** Splits a text into names, and adds the camel case of each: `last_seen`, `lastSeen`. */
export function namesIn(text: string): readonly string[] {
  const camel = (name: string) =>
    name.replace(/\B_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set(text.split(' ').flatMap((name) => [name, camel(name)]))];
}

/** Whether a JSON value is an object: neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of the first field among `candidates` that `read` understands. */
export function firstValue<T>(
  object: JsonObject,
  candidates: readonly string[],
  read: (value: Json, field: string) => T | undefined,
): T | undefined {
  for (const field of candidates) {
    // Safe: no candidate is the name of an inherited property.
    const raw = object[field];
    const value = raw === undefined ? undefined : read(raw, field);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A non-empty text; undefined for any other value. */
export function readText(value: Json): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A non-empty text, or the digits of a number; undefined for any other value. */
export function readLabel(value: Json): string | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : readText(value);
}
