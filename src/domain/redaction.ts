import {secretPrefixes} from './secret.js';

const prefixes = Object.values(secretPrefixes).join('|');
// Twelve characters behind the prefix are too many for a word and too few for a secret to hide below.
const secretPattern = new RegExp(`\\b(${prefixes})[\\w-]{12,}`, 'g');

/** Replaces whatever looks like one of our secrets, whole or cut short, by its prefix and an ellipsis. */
export function redactSecrets(text: string): string {
  return text.replace(secretPattern, '$1…');
}
