import {Transform} from 'node:stream';
import {cleanSecret} from '../domain/secret.js';
import {AppError} from '../errors.js';
import type {Io} from './io.js';

/** True for a valid input; otherwise an error message, and the prompt asks again. */
type Validate = (text: string) => true | string;

/** Throws an `AppError` for an invalid input. */
type Check = (text: string) => unknown;

/** Turns a check into a validation: the prompt shows the error of an `AppError` and asks again. */
function acceptedBy(check: Check): Validate {
  return (text) => {
    try {
      check(text);
      return true;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  };
}

/** The error for a missing value where no prompt is possible. */
export function missingInput(what: string, hint: string): AppError {
  const message = `Missing ${what} (no prompt without a terminal, in CI or with --no-input).`;
  return new AppError('usage', message, {hint});
}

/** Loads the library, which reads NO_COLOR, but does not know `--no-color`. */
function library({stderr}: Io) {
  if (!stderr.hasColor) process.env['NO_COLOR'] = '1';
  return import('./inquirer.js');
}

/** The library's options that all questions share. */
interface Context {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/**
 * Prompts on stderr, because stdout is for results.
 *
 * @throws AppError `cancelled` on Ctrl-C, when the input ends (Ctrl-D), and after Ctrl-Z and fg
 */
async function ask<T>(io: Io, question: (context: Context) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const end = () => ended.abort();
  // The prompt never settles when its input ends; the process then becomes idle.
  process.once('beforeExit', end);
  // In raw mode, readline reads nothing after Ctrl-Z and fg.
  process.once('SIGCONT', end);
  try {
    return await io.interruptible((stop) => {
      const signal = AbortSignal.any([ended.signal, stop]);
      return question({output: process.stderr, signal}).catch(canceled);
    });
  } finally {
    process.off('beforeExit', end);
    process.off('SIGCONT', end);
  }
}

function canceled(error: unknown): never {
  if (!(error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) throw error;
  throw new AppError('cancelled', 'Canceled; nothing was changed.', {cause: error});
}

/** Prompts for a secret with masked input; see `cleanSecret`. @throws AppError `cancelled` as `ask` */
export async function askSecret(io: Io, message: string, check: Check): Promise<string> {
  const {password} = await library(io);
  const validate: Validate = (text) => {
    if (cleanSecret(text) === '') return 'Please enter a value.';
    const verdict = acceptedBy(check)(cleanSecret(text));
    // The library keeps the input, so the next paste would be appended to it, unseen.
    return verdict === true || `${verdict} Press Ctrl-U to clear it.`;
  };
  const input = withoutLineBreaks();
  return cleanSecret(
    await ask(io, (context) =>
      password({message, mask: true, validate}, {...context, input}).finally(() =>
        process.stdin.unpipe(input).pause(),
      ),
    ),
  );
}

/** Standard input in which a pasted text, which usually arrives in one chunk, loses all line breaks but the last. */
function withoutLineBreaks(): Transform {
  const input = new Transform({
    transform: (chunk, _, done) => done(null, String(chunk).replace(/[\r\n]+(?=[^\r\n])/g, '')),
  });
  const setRawMode = (mode: boolean) => process.stdin.setRawMode(mode);
  return Object.assign(process.stdin.pipe(input), {setRawMode});
}

/** Prompts for a line of text; Enter alone accepts the default. @throws AppError `cancelled` as `ask` */
export async function askText(
  io: Io,
  message: string,
  usual: string,
  check: Check,
): Promise<string> {
  const {input} = await library(io);
  return ask(io, (context) =>
    input({message, validate: acceptedBy(check), default: usual}, context),
  );
}

/** Asks a yes-or-no question; Enter alone gives the default answer. @throws AppError `cancelled` as `ask` */
export async function askYesNo(io: Io, message: string, {usual = true} = {}): Promise<boolean> {
  const {confirm} = await library(io);
  return ask(io, (context) => confirm({message, default: usual}, context));
}
