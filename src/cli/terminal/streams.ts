import {once} from 'node:events';
import {fstatSync, statSync, writeSync} from 'node:fs';
import {devNull} from 'node:os';
import {Writable} from 'node:stream';

let prepareTerminal: () => void = () => undefined;

/** Has this called before anything is written, to take away what stands there only for the moment. */
export function onWrite(prepare: () => void): void {
  prepareTerminal = prepare;
}

/** Takes away what stands on the terminal only for the moment. */
export function clearTerminal(): void {
  prepareTerminal();
}

/** Writes to stdout and waits while its reader is slower than we are. */
export async function writeOut(text: string): Promise<void> {
  prepareTerminal();
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/**
 * Writes a text unless the reader has not taken the last one yet: for what must go on, whether or
 * not somebody reads it.
 */
export function writeIfReady(stream: NodeJS.WriteStream, text: string): void {
  prepareTerminal();
  if (stream.writableLength === 0) stream.write(text);
}

/** Takes the talk of others, a log for instance, line by line. */
export function messageStream(): Writable {
  return new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      writeMessage(String(text).trimEnd());
      done();
    },
  });
}

let onlyCopy: string | undefined;

/**
 * Notes that what is written next is shown this once: no reader of stdout may go before it has it.
 *
 * @param consequence what its loss means, and what to do then
 */
export function protectOutput(consequence: string): void {
  onlyCopy = consequence;
}

/**
 * Has the process go on when stdout cannot be written any more: for work that matters more than its
 * output.
 *
 * @param onLost is called once, when that happens
 */
export function outliveOutput(onLost: (error: NodeJS.ErrnoException) => void): void {
  // Those of `watchStreams` and of the framework end the process.
  process.stdout.removeAllListeners('error');
  process.stdout.once('error', onLost).on('error', () => undefined);
}

let isOwnStdout = false;

/**
 * Whether stdout goes nowhere: it was closed (Node then opens the null device in its place), it is the
 * null device, or it is not open for writing. A program that runs a command line within itself takes
 * the output in its own way.
 */
export function isOutputDiscarded(): boolean {
  if (!isOwnStdout || process.platform === 'win32') return false;
  const {fd} = process.stdout;
  try {
    writeSync(fd, '');
    const output = fstatSync(fd);
    return output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
  } catch {
    return true;
  }
}

/** Resolves once all that was written to stdout has reached the operating system. */
export async function flushed(): Promise<void> {
  if (isOwnStdout) await new Promise<void>((done) => process.stdout.write('', () => done()));
}

/** Writes one line of talk to stderr. */
export function writeMessage(line: string): void {
  prepareTerminal();
  process.stderr.write(`${line}\n`);
}

/**
 * Settles what happens when nobody takes our output. A reader of stdout that has read enough
 * (`| head -1`) closes the pipe: that is its right, and the process ends quietly. Any other failure
 * there, a full disk for instance, loses the result, and so does any at all with what is shown once.
 * Talk that cannot be written is let go.
 *
 * @param lost ends the process when the result is lost; `quietly` when the reader closed the pipe, and
 *   else perhaps with what the loss means
 */
export function watchStreams(
  lost: (error: NodeJS.ErrnoException, quietly: boolean, consequence: string | undefined) => void,
): void {
  isOwnStdout = true;
  // Before the framework's own listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) =>
    lost(error, error.code === 'EPIPE' && onlyCopy === undefined, onlyCopy),
  );
  process.stderr.on('error', () => undefined);
}
