import {AppError} from '../errors.js';

/** Prompts are talk: they go to stderr, so that stdout holds the result alone. */
const context = {output: process.stderr};

/** @throws AppError `cancelled` on Ctrl-C, and on Ctrl-D, which ends the input and answers nothing */
async function ask<T>(question: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // The prompt itself never settles when its input ends: all that is left then is an idle process.
  const onIdle = () => ended.abort();
  process.once('beforeExit', onIdle);
  try {
    return await Promise.race([question(), rejection(ended.signal)]);
  } catch (error) {
    const cancelled = error instanceof Error && error.name === 'ExitPromptError';
    if (!cancelled && !ended.signal.aborted) throw error;
    throw new AppError('cancelled', 'Cancelled; nothing was changed.', {cause: error});
  } finally {
    process.off('beforeExit', onIdle);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), {once: true});
  });
}

/** Asks for a secret, masked while it is typed. @throws AppError `cancelled` on Ctrl-C. */
export async function askSecret(message: string): Promise<string> {
  const {password} = await import('./inquirer.js');
  return ask(() =>
    password(
      {message, mask: true, validate: (text) => text.trim() !== '' || 'Please enter a value.'},
      context,
    ),
  );
}

/** Asks for a line of text. @throws AppError `cancelled` on Ctrl-C. */
export async function askText(
  message: string,
  options: {
    readonly default?: string;
    readonly validate?: (text: string) => true | string;
  } = {},
): Promise<string> {
  const {input} = await import('./inquirer.js');
  return ask(() => input({message, ...options}, context));
}
