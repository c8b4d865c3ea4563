import {isUtf8} from 'node:buffer';
import {type BigIntStats, constants, createReadStream, fstatSync, openSync} from 'node:fs';
import {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {isatty, ReadStream as TerminalInput} from 'node:tty';
import {AppError} from '../errors.js';
import {reasonOf} from '../system/system-error.js';
import {writeMessage} from './streams.js';

/** A text that the user gives in a file, or on stdin. */
interface UserText {
  /** Path of the file; `-` is stdin. */
  readonly path: string;
  /** Its name in messages, such as `the API key`. */
  readonly what: string;
  /** How to give it, as a sentence. */
  readonly hint: string;
  /** In bytes. */
  readonly limit?: number;
}

/**
 * Milliseconds until a note says what the command waits for. It is a separate line, written once: a
 * password manager at the other end of the pipe may be prompting on the same terminal.
 */
const patience = 2000;

/** Reads a text in UTF-8, without a byte order mark. @throws AppError `usage` when it cannot be read */
export async function readUserText(request: UserText): Promise<string> {
  const {path, what, hint} = request;
  const source = path === '-' ? 'standard input' : path;
  if (path === '-') checkStdin(what, hint);
  const open = () => (path === '-' ? openStdin() : openSource(path));
  const waiting = `Waiting for ${what} from ${source}.`;
  const notice = setTimeout(() => process.stderr.isTTY && writeMessage(waiting), patience);
  return readAll(open, source, request).finally(() => clearTimeout(notice));
}

function checkStdin(what: string, hint: string): void {
  if (process.stdin.isTTY) {
    const message = `- reads ${what} from a pipe, but standard input is a terminal.`;
    throw new AppError('usage', message, {hint});
  }
  if (process.stdin.readableEnded) {
    const message = '- cannot read standard input: it was already read to its end.';
    throw new AppError('usage', message, {hint: `Only one - can read it. ${hint}`});
  }
}

function openStdin(): Readable {
  requireNoOutput(0, 'standard input');
  return process.stdin;
}

/**
 * Checks that the output of this command does not go to its own input.
 *
 * @throws AppError `usage`; by then a shell has emptied the file of `>`
 */
function requireNoOutput(input: number, source: string): void {
  const [read, written] = [statOf(input), statOf(1)];
  if (!read?.isFile() || read.ino !== written?.ino || read.dev !== written.dev) return;
  const isEmpty = read.size === 0n;
  const what = isEmpty
    ? ', which is empty: with > the shell empties a file before the command starts'
    : '; nothing was read';
  throw new AppError('usage', `The output of this command goes to ${source} itself${what}.`, {
    hint: `${isEmpty ? 'Restore that file, and redirect' : 'Redirect'} the output to another one.`,
  });
}

/** Undefined for a closed descriptor. */
function statOf(fd: number): BigIntStats | undefined {
  try {
    return fstatSync(fd, {bigint: true});
  } catch {
    return undefined;
  }
}

/**
 * Opens a file as a stream that can be aborted. Node reads files in threads that cannot be interrupted:
 * while one waits for a terminal or a named pipe, such as `<(command)`, even `process.exit` does not end
 * the process.
 */
function openSource(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  requireNoOutput(fd, path);
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

function decode(content: Buffer, what: string, source: string): string {
  // Every second byte of UTF-16 is 0 in most texts.
  const isText = (bytes: Buffer) => isUtf8(bytes) && !bytes.includes(0);
  if (isText(content)) return content.toString().replace(/^\ufeff/, '');
  let line = 1;
  for (let start = 0; ; line += 1) {
    const end = content.indexOf('\n', start);
    if (end < 0 || !isText(content.subarray(start, end))) break;
    start = end + 1;
  }
  throw new AppError('usage', `Cannot read ${what} from ${source}: line ${line} is not UTF-8.`, {
    hint: 'Save it as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 (or -f UTF-16).',
  });
}
