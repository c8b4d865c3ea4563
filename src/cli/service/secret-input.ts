import {constants, createReadStream, fstatSync, openSync} from 'node:fs';
import {Socket} from 'node:net';
import {addAbortSignal, type Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {isatty, ReadStream as TerminalInput} from 'node:tty';
import {cleanSecret} from '../../domain/clean-secret.js';
import {AppError} from '../../errors.js';
import {reasonOf} from '../errors/system-error.js';
import {writeMessage} from '../terminal/streams.js';

/** Limits for reading a secret: bytes, and milliseconds until it is complete. */
const limits = {bytes: 64 * 1024, wait: 60_000};

/**
 * Milliseconds until a note says what the command waits for. It is a separate line, written once: a
 * password manager at the other end of the pipe may be prompting on the same terminal.
 */
const patience = 2000;

/**
 * Reads a secret from a file, or from stdin when the path is `-`; see `cleanSecret`.
 *
 * @param what name of the secret in messages, for instance `API key`
 * @param flag the flag that named the file
 * @throws AppError `usage` when it cannot be read, is empty, or has several lines
 */
export async function readSecretFile(
  path: string,
  what: string,
  flag: string,
  bounds = limits,
): Promise<string> {
  const source = path === '-' ? 'standard input' : path;
  if (path === '-') checkStdin(what, flag);
  const open = () => (path === '-' ? process.stdin : openSource(path));
  const waiting = `Waiting for the ${what} from ${source}, at most ${bounds.wait / 1000} s.`;
  const notice = setTimeout(() => process.stderr.isTTY && writeMessage(waiting), patience);
  const read = readAll(open, what, source, flag, bounds);
  const secret = cleanSecret(await read.finally(() => clearTimeout(notice)));
  if (secret !== '' && !/[\r\n]/.test(secret)) return secret;
  const fault = secret === '' ? 'it is empty' : 'it has several lines';
  throw new AppError('usage', `No ${what} in ${source}: ${fault}.`, {
    hint: `Put only the ${what} there, on one line, or choose another file with ${flag}.`,
  });
}

function checkStdin(what: string, flag: string): void {
  const hint = `Pipe it in, or pass a file with ${flag}.`;
  if (process.stdin.isTTY) {
    const message = `${flag} - reads the ${what} from a pipe, but standard input is a terminal.`;
    throw new AppError('usage', message, {hint});
  }
  if (process.stdin.readableEnded) {
    const message = `${flag} - cannot read standard input: it was already read to its end.`;
    throw new AppError('usage', message, {
      hint: `Standard input can carry only one secret. Pass a file with ${flag}.`,
    });
  }
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
  return createReadStream(path, {fd, end: limits.bytes});
}

/**
 * Reads a stream to its end, within limits: a pipe that is never closed must not block a script forever.
 *
 * @throws AppError `usage`
 */
export async function readAll(
  open: () => Readable,
  what: string,
  source: string,
  flag: string,
  {bytes, wait} = limits,
): Promise<string> {
  const signal = AbortSignal.timeout(wait);
  try {
    const content = await buffer(addAbortSignal(signal, open()));
    if (content.length <= bytes) return content.toString();
  } catch (error) {
    const reason = signal.aborted ? `it did not end within ${wait / 1000} s` : reasonOf(error);
    throw new AppError('usage', `Cannot read the ${what} from ${source}: ${reason}.`, {
      hint: `Pass a readable file with ${flag}.`,
      cause: error,
    });
  }
  throw new AppError('usage', `Too much data for an ${what} in ${source}.`, {
    hint: `Choose another file with ${flag}.`,
  });
}
