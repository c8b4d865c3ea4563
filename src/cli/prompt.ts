import {AppError} from '../errors.js';
import {interruptible} from './stop.js';

/** What stands beside a question: prompts are talk, so they go to stderr, and stdout holds the result alone. */
interface Context {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Says what is wrong with an answer, or true; the prompt then asks again. */
export type Validate = (text: string) => true | string;

/** @throws AppError `cancelled` on Ctrl-C, and on Ctrl-D, which ends the input and answers nothing */
async function ask<T>(question: (context: Context) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // The prompt itself never settles when its input ends: all that is left then is an idle process.
  const onIdle = () => ended.abort();
  process.once('beforeExit', onIdle);
  try {
    return await interruptible(async (stop) => {
      const signal = AbortSignal.any([ended.signal, stop]);
      return question({output: process.stderr, signal}).catch(cancelled);
    });
  } finally {
    process.off('beforeExit', onIdle);
  }
}

function cancelled(error: unknown): never {
  if (!(error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) throw error;
  throw new AppError('cancelled', 'Cancelled; nothing was changed.', {cause: error});
}

/** Asks for a secret, masked while it is typed. @throws AppError `cancelled` on Ctrl-C. */
export async function askSecret(message: string, validate: Validate = () => true): Promise<string> {
  const {password} = await import('./inquirer.js');
  const check: Validate = (text) =>
    text.trim() === '' ? 'Please enter a value.' : validate(text.trim());
  return ask((context) => password({message, mask: true, validate: check}, context));
}

/** Asks for a line of text. @throws AppError `cancelled` on Ctrl-C. */
export async function askText(
  message: string,
  options: {readonly default?: string; readonly validate?: Validate} = {},
): Promise<string> {
  const {input} = await import('./inquirer.js');
  return ask((context) => input({message, ...options}, context));
}
