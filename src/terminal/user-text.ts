import {isUtf8} from 'node:buffer';
import {constants, createReadStream, fstatSync, openSync} from 'node:fs';
import {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {isatty, ReadStream as TerminalInput} from 'node:tty';
import {AppError} from '../errors.js';
import {reasonOf} from '../system/system-error.js';

/** A text that the user gives in a file, or on stdin. */
interface UserText {
  /** Path of the file; `-` is stdin. */
  readonly path: string;
  /** The name of the text in messages, such as `the API key`. */
  readonly what: string;
  /** The hint that explains how to pass it, as a sentence. */
  readonly hint: string;
  /** The maximum length in bytes. */
  readonly limit?: number;
}

/** Reads a text in UTF-8, without a byte order mark. @throws AppError `usage` when it cannot be read */
export async function readUserText(request: UserText): Promise<string> {
  const {path, what, hint} = request;
  const source = path === '-' ? 'standard input' : path || 'a file without a name';
  if (path === '-' && process.stdin.isTTY) {
    const message = `- reads ${what} from a pipe, but standard input is a terminal.`;
    throw new AppError('usage', message, {hint});
  }
  const open = () => (path === '-' ? process.stdin : openSource(path));
  return readAll(open, source, request);
}

/**
 * Opens a file as a stream that can be aborted. Node reads files in threads that cannot be interrupted:
 * while one waits for a terminal or a named pipe, such as `<(command)`, even `process.exit` does not end
 * the process.
 */
function openSource(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(fd)) return new TerminalInput(fd);
  if (fstatSync(fd).isFIFO()) return new Socket({fd, readable: true, writable: false});
  return createReadStream(path, {fd});
}

/** Reads a stream to its end, within its limit. @throws AppError `usage` */
export async function readAll(
  open: () => Readable,
  source: string,
  {what, hint, limit = Number.POSITIVE_INFINITY}: Omit<UserText, 'path'>,
): Promise<string> {
  let size = 0;
  let content: Buffer;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of open()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
    content = Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('usage', `Cannot read ${what} from ${source}: ${reasonOf(error)}.`, {
      hint,
      cause: error,
    });
  }
  if (size > limit) {
    throw new AppError('usage', `Too much data for ${what} in ${source}.`, {hint});
  }
  return decode(content, what, source);
}

/** Decodes UTF-8. Also refuses NUL bytes, a sign of UTF-16: in most of its texts, many bytes are NUL. */
function decode(content: Buffer, what: string, source: string): string {
  if (isUtf8(content) && !content.includes(0)) return content.toString().replace(/^\ufeff/, '');
  throw new AppError('usage', `Cannot read ${what} from ${source}: it is not UTF-8.`, {
    hint: 'Save it as text in UTF-8, a spreadsheet as CSV UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 (or -f UTF-16).',
  });
}
