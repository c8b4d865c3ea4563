import {redactSecrets} from '../domain/secret.js';
import {isSecretName} from '../domain/secret-names.js';
import type {Json, JsonObject} from './types.js';

/** What stands in the place of a secret. */
const mask = '[redacted]';

/**
 * A copy of a JSON value in which whatever stands under a secret name is masked, however deep.
 * Null, true and false stay: they say whether there is a secret, not what it is.
 */
export function redactFields(value: Json): Json {
  if (Array.isArray(value)) return value.map(redactFields);
  if (typeof value !== 'object' || value === null) return value;
  const redacted: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const masked = isSecretName(name) && field !== null && typeof field !== 'boolean';
    // Defined, not assigned: a field named `__proto__` stays a field.
    Object.defineProperty(redacted, name, {
      value: masked ? mask : redactFields(field),
      enumerable: true,
    });
  }
  return redacted;
}

/** What follows the name of a scheme and may be a credential: long, and with a digit; "Bearer KEY" is none. */
const schemeCredential = /\b(bearer|basic)\s+(?=[^\s"',;]*\d)[^\s"',;]{8,}/gi;

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

/** A secret as it may stand in a text: as it is, percent-encoded, or escaped in JSON. */
function spellings(secret: string): string[] {
  // What leaves this process is UTF-8, where a lone surrogate becomes U+FFFD.
  const sent = Buffer.from(secret).toString();
  return [secret, sent, encodeURIComponent(sent), JSON.stringify(sent).slice(1, -1)];
}

/**
 * Makes the function that every text from the wire passes before anybody sees it: it replaces the
 * secrets that are known by value, whatever looks like one of ours, and what follows `Bearer`.
 */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets
    .flatMap((secret) => spellings(secret?.trim() ?? ''))
    .filter((spelling) => spelling !== '')
    // The longest first, so that no part of it is left over.
    .sort((left, right) => right.length - left.length);
  return (text) => {
    const rest = known.reduce((result, secret) => result.replaceAll(secret, mask), text);
    return redactSecrets(rest.replace(schemeCredential, `$1 ${mask}`));
  };
}

/**
 * Whether a text that is no JSON reads like prose or a web page, so that its beginning may be
 * shown. A single word may be a bare token, and quoted fields cannot be searched for secrets.
 */
export function isProse(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text) || (/\s/.test(text.trim()) && !/["{}[\]]/.test(text));
}
