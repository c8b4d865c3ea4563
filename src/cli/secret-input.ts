import {readFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {AppError} from '../errors.js';

/**
 * Reads a secret from a file, or from stdin when the path is `-`. Surrounding white space is
 * trimmed.
 *
 * @param what the secret's name in messages, for instance `API key`
 * @param flag the flag that named the file
 * @throws AppError `usage` when it cannot be read or is empty
 */
export async function readSecretFile(path: string, what: string, flag: string): Promise<string> {
  const content = await read(path, what, flag);
  const secret = content.trim();
  if (secret !== '') return secret;
  const source = path === '-' ? 'standard input' : path;
  throw new AppError('usage', `No ${what} in ${source}: it is empty.`, {
    hint: `Write the ${what} there, alone on one line, or name another file with ${flag}.`,
  });
}

async function read(path: string, what: string, flag: string): Promise<string> {
  if (path === '-') {
    if (!process.stdin.isTTY) return text(process.stdin);
    throw new AppError('usage', `${flag} - reads the ${what} from a pipe, and there is none.`, {
      hint: `Pipe it in, or name a file with ${flag}.`,
    });
  }
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('usage', `Cannot read the ${what}: ${reason}`, {
      hint: `Name a readable file with ${flag}.`,
      cause: error,
    });
  }
}
