import {AppError} from '../errors.js';

/** Prompts are talk: they go to stderr, so that stdout holds the result alone. */
const context = {output: process.stderr};

async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new AppError('cancelled', 'Cancelled; nothing was changed.', {cause: error});
    }
    throw error;
  }
}

/** Asks for a secret, masked while it is typed. @throws AppError `cancelled` on Ctrl-C. */
export async function askSecret(message: string): Promise<string> {
  const {password} = await import('@inquirer/prompts');
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
  const {input} = await import('@inquirer/prompts');
  return ask(() => input({message, ...options}, context));
}
