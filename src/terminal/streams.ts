import {once} from 'node:events';
import {fstatSync, statSync, writeSync} from 'node:fs';
import {devNull} from 'node:os';
import {AppError, exitCodes} from '../errors.js';
import {endProcess} from './signals.js';

// Module state, because the streams are global too: any module may write, and main.ts handles their errors.
let prepareTerminal: () => void = () => undefined;

/** Sets the function that clears temporary output, such as a status line, before each write. */
export function onWrite(prepare: () => void): void {
  prepareTerminal = prepare;
}

/** Clears temporary output from the terminal. */
export function clearTerminal(): void {
  prepareTerminal();
}

let hasBegun = false;

/** Notes that stdout has a part of the result, or that a new command line begins. */
export function noteOutput(value = true): void {
  hasBegun = value;
}

/** Whether stdout has a part of the result: an error object after it would make invalid JSON. */
export function outputHasBegun(): boolean {
  return hasBegun;
}

/** Whether stdout cannot be written any more: a command that goes on does so without output. */
let isOutputLost = false;

let endsWithReader = false;

/** Ends the process when the reader of stdout leaves: for a command that would go on forever. */
export function endWithReader(): void {
  endsWithReader = true;
}

/** Writes to stdout, and waits while its reader is slower. */
export async function writeOut(text: string): Promise<void> {
  prepareTerminal();
  if (text === '' || (isOutputLost && onlyCopy === undefined)) return;
  noteOutput();
  if (process.stdout.write(text)) return;
  await once(process.stdout, 'drain').catch((error: unknown) => {
    if (!isOutputLost) throw error;
  });
}

/** Size of joined texts in UTF-16 code units: many single writes are slow, and one write of everything takes much memory. */
const partSize = 64 * 1024;

/** Writes texts to stdout, joined to parts, as `writeOut`. */
export async function writeParts(texts: Iterable<string>): Promise<void> {
  let part = '';
  for (const text of texts) {
    if (isOutputLost) return;
    part += text;
    if (part.length < partSize) continue;
    await writeOut(part);
    part = '';
  }
  await writeOut(part);
}

/**
 * Writes a text unless the reader has not read the last one yet: for a process that must not wait for
 * its reader.
 */
export function writeIfReady(name: 'stderr' | 'stdout', text: string): void {
  const stream = process[name];
  prepareTerminal();
  if (stream.writableLength > 0) return;
  if (name === 'stdout') noteOutput();
  stream.write(text);
}

let onlyCopy: string | undefined;

/**
 * Marks the output as shown only once: from now on a reader that closes stdout early is an error.
 *
 * @param consequence the effect of its loss, and the remedy
 */
export function protectOutput(consequence: string): void {
  onlyCopy = consequence;
}

/**
 * Keeps the process running when stdout cannot be written any more: for work that matters more than its
 * output.
 *
 * @param onLost called once when that happens
 */
export function outliveOutput(onLost: (error: NodeJS.ErrnoException) => void): void {
  // The listeners of `watchStreams` and of the framework end the process.
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => {
    if (!isOutputLost) onLost(error);
    isOutputLost = true;
  });
}

let isOwnStdout = false;

/**
 * Whether stdout discards output: it was closed (Node then replaces it by the null device), it is the null
 * device, or it is not writable. A program that runs a command in its own process handles output itself.
 */
function isOutputDiscarded(): boolean {
  if (!isOwnStdout) return false;
  const {fd} = process.stdout;
  try {
    writeSync(fd, '');
    const output = fstatSync(fd);
    return output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
  } catch {
    return true;
  }
}

/**
 * Refuses work whose only result nobody would get.
 *
 * @param lost the result, such as `The token`
 * @throws AppError `usage`
 */
export function requireOutput(lost: string, hint = 'Nothing was done. Keep stdout open.'): void {
  if (!isOutputDiscarded()) return;
  throw new AppError('usage', `${lost} would be lost: stdout is closed or discarded.`, {hint});
}

/** Resolves once the operating system has all output to stdout. Without output, a full disk is no error. */
export async function flushed(): Promise<void> {
  if (isOwnStdout && hasBegun) await drained(process.stdout);
}

/** Resolves once the operating system has all that was written to a stream. */
export function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

let quiet = false;

/** Sets whether messages are dropped; errors are always written. */
export function setQuiet(value: boolean): void {
  quiet = value;
}

/** Whether `--quiet` was given. */
export function isQuiet(): boolean {
  return quiet;
}

/** Writes one line to stderr, in every output mode, but not with `--quiet`. */
export function writeMessage(line: string): void {
  if (!quiet) writeError(line);
}

/** Writes an error, or a line that must not be lost, to stderr. */
export function writeError(line: string): void {
  prepareTerminal();
  process.stderr.write(`${line}\n`);
}

/**
 * Handles errors of the output streams. When the reader of stdout closes the pipe early (`| head -1`), the command goes
 * on without output. Any other error, such as a full disk, loses the result; so does a closed pipe for output that is
 * shown only once. Errors of stderr are ignored.
 *
 * @param lost ends the process when the result is lost, with the consequence of `protectOutput`
 */
export function watchStreams(
  lost: (error: NodeJS.ErrnoException, consequence: string | undefined) => void,
): void {
  isOwnStdout = true;
  // Runs before the framework's listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' || onlyCopy !== undefined) return lost(error, onlyCopy);
    if (endsWithReader) endProcess(Number(process.exitCode ?? exitCodes.ok.code));
    isOutputLost = true;
  });
  process.stderr.on('error', () => undefined);
}
