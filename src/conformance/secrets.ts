import {redactor} from '../client/redact.js';
import type {Json} from '../domain/json.js';
import {isSecretName} from '../domain/secret-names.js';
import {shellWord} from '../domain/shell-word.js';

/** Minimum UTF-16 code units of a secret: hiding each `7` would make a report unreadable. */
const shortest = 4;

/** Every secret that the suite sent or received, each with the shell variable that stands for it. */
export class Secrets {
  readonly #variables = new Map<string, string>();

  /** @param variable name of the shell variable; a secret keeps its first one */
  add(secret: string | undefined, variable: string): void {
    if (secret === undefined || secret.length < shortest || this.#variables.has(secret)) return;
    this.#variables.set(secret, variable);
  }

  /** Adds the strings in all fields with a secret name, down to a limited depth. */
  addFields(value: Json | undefined, depth = 8): void {
    if (typeof value !== 'object' || value === null || depth === 0) return;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string' && isSecretName(name)) this.add(field, 'SECRET');
      else this.addFields(field, depth - 1);
    }
  }

  /** A text without secrets, for a report. */
  redact(text: string): string {
    return redactor([...this.#variables.keys()])(text);
  }

  /** A text as one word of a shell, with each secret as its variable. */
  shellWord(text: string): string {
    // The longest first: a shorter one may be a part of it.
    const known = [...this.#variables].sort(([a], [b]) => b.length - a.length);
    const quote = (part: string, [first, ...rest] = known): string => {
      if (first === undefined) return part === '' ? '' : shellWord(part);
      const [secret, variable] = first;
      const spelling = JSON.stringify(secret).slice(1, -1);
      const pieces = part.split(spelling).map((piece) => quote(piece, rest as typeof known));
      return pieces.join(`"$${variable}"`);
    };
    const word = quote(text, known);
    return word === '' ? "''" : word;
  }
}
