import type {Json} from '../domain/json.js';
import {redactSecrets} from '../domain/secret.js';
import {isSecretName} from '../domain/secret-names.js';

/** The text that replaces a secret. */
export const mask = '[redacted]';

/**
 * Masks the values of all fields with a secret name in a JSON text, at any depth. Null, true and false stay: they show
 * only whether a secret exists.
 *
 * @param isShown whether to show a text or a number in a field with any other name
 * @throws SyntaxError when it is not JSON
 */
export function redactJson(text: string, isShown: (name: string) => boolean = () => true): string {
  return JSON.stringify(JSON.parse(text), (name, value: Json) => {
    if (value === null || typeof value === 'boolean') return value;
    const isHidden = isSecretName(name) || (typeof value !== 'object' && !isShown(name));
    return isHidden ? mask : value;
  });
}

/** A credential after the name of a scheme: long and with a digit, unlike the placeholder in "Bearer KEY". */
const schemeCredential = /\b(bearer|basic)\s+(?=[^\s"',;]*\d)[^\s"',;]{8,}/gi;

/** A parameter in the query of a URL, and the user information of a URL. */
const parameter = /([?&]([\w.~-]+)=)[^&#\s"'<>]+/g;
const userInformation = /(?<=:\/\/)[^/?#@\s]+(?=@)/g;

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

/**
 * Creates the function that redacts every text from the wire before it is shown: it replaces the known secrets, also
 * percent-encoded or escaped in JSON, every text in the format of our own secrets, credentials after `Bearer` or
 * `Basic`, and in a URL the user information and the parameters with a secret name.
 */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets
    // This process sends UTF-8, in which a lone surrogate becomes U+FFFD.
    .map((secret = '') => Buffer.from(secret.trim()).toString())
    .flatMap((sent) => [sent, encodeURIComponent(sent), JSON.stringify(sent).slice(1, -1)])
    .filter((spelling) => spelling !== '')
    // Longest first: a shorter secret may be part of a longer one.
    .sort((left, right) => right.length - left.length);
  return (text) => {
    const rest = known.reduce((result, secret) => result.replaceAll(secret, mask), text);
    const urls = rest
      .replace(userInformation, mask)
      .replace(parameter, (all, start: string, name) => (isSecretName(name) ? start + mask : all));
    return redactSecrets(urls.replace(schemeCredential, `$1 ${mask}`));
  };
}

/** A URL without its parts that may be secret (user information, query, fragment) and trailing slashes. */
export function plainUrl(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/**
 * Whether a text other than JSON is prose or a web page, whose beginning may be shown. A single word
 * may be a bare token, and fields in quotes cannot be searched for secrets.
 */
export function isProse(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text) || (/\s/.test(text.trim()) && !/["{}[\]]/.test(text));
}
