/**
 * Any JSON value of a response. An integer beyond `Number.MAX_SAFE_INTEGER`, written in digits, is a bigint, which keeps
 * 64-bit ids unchanged; note that `JSON.stringify` throws for bigints.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

/** A JSON object of a response: all fields unchanged, known to us or not. */
export interface JsonObject {
  [field: string]: Json;
}

/** The value of a JSON text; undefined for any other text. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Describes the format version of a document, whatever else the document holds; undefined for the known version, and for
 * a document without a version.
 */
export function otherVersion(
  document: unknown,
  known: number,
  member: 'schema' | 'version' = 'version',
): string | undefined {
  const {[member]: found} = Object(document) as Partial<Record<typeof member, unknown>>;
  if (found === undefined || found === known) return undefined;
  return `has format version ${JSON.stringify(found)}, not this build's (${known})`;
}
