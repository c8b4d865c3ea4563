import {lstatSync} from 'node:fs';
import {canPrompt} from '../../terminal/capabilities.js';
import {askYesNo} from '../../terminal/prompt.js';

/**
 * Offers to save a credential that would be shown on the terminal, where a person would have to copy it.
 *
 * @returns the path of the file; undefined to show the credential
 * @throws AppError `cancelled` on Ctrl-C
 */
export async function offerFile(name: string, noInput: boolean): Promise<string | undefined> {
  if (!canPrompt(noInput) || !process.stdout.isTTY) return undefined;
  const path = fileNameOf(name);
  if (lstatSync(path, {throwIfNoEntry: false}) !== undefined) return undefined;
  return (await askYesNo(`Save the credential to ${path}?`)) ? path : undefined;
}

/** A file name that needs no quotes in a shell: `Büro 1` becomes `B-ro-1.json`. */
function fileNameOf(name: string): string {
  const words = name.match(/[A-Za-z0-9_.]+/g) ?? [];
  return `${words.join('-').replace(/^\.+/, '').slice(0, 100) || 'connector'}.json`;
}
