import {Writable} from 'node:stream';
import {cleanSecret} from '../../domain/clean-secret.js';
import {AppError} from '../../errors.js';
import {colourLevel} from './capabilities.js';
import {withoutLeadingBreaks} from './paste.js';
import {runInterruptible} from './signals.js';

/** What the library takes beside a question. */
interface Context {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/** Says what is wrong with a response, or true; the prompt then asks again. */
export type Validate = (text: string) => true | string;

/** Has what `check` refuses with an error asked for again. */
export function acceptedBy(check: (text: string) => unknown): Validate {
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

/** What a prompt asks, and how it ends: with a valid answer, or without one. */
type Question = (context: Context, isValid: (text: string) => true | string) => Promise<string>;

/**
 * Prompts are no result, so they go to stderr. One that ends without a response leaves nothing on the
 * terminal.
 *
 * @throws AppError `cancelled` on Ctrl-C, and on Ctrl-D, which ends the input and answers nothing
 */
async function ask(question: Question, validate: Validate): Promise<string> {
  for (;;) {
    const response = await askOnce(question, validate);
    if (response !== undefined) return response;
  }
}

/** @returns undefined when the process was suspended (Ctrl-Z) meanwhile: the prompt is gone then */
async function askOnce(question: Question, validate: Validate): Promise<string | undefined> {
  const output = new PromptOutput(process.stderr);
  const ended = new AbortController();
  let isAnswered = false;
  const check: Validate = (text) => {
    const verdict = validate(text);
    isAnswered = verdict === true;
    return verdict;
  };
  // The prompt itself never settles when its input ends: all that is left then is an idle process.
  const onIdle = () => ended.abort();
  // Readline stops reading for good. What is on the screen by now is the shell's.
  const onResume = () => {
    output.isSilent = true;
    ended.abort();
  };
  process.once('beforeExit', onIdle);
  process.once('SIGCONT', onResume);
  try {
    return await runInterruptible(async (stop) => {
      const context = {
        output,
        signal: AbortSignal.any([ended.signal, stop]),
        get clearPromptOnDone() {
          return !isAnswered;
        },
      };
      return await question(context, check).catch((error: unknown) => {
        if (output.isSilent && !stop.aborted) return undefined;
        return cancelled(error);
      });
    });
  } finally {
    process.off('beforeExit', onIdle);
    process.off('SIGCONT', onResume);
  }
}

const escapeCharacter = '\x1b';
const colours = new RegExp(`${escapeCharacter}\\[[\\d;]*m`, 'g');

/** The terminal as a prompt writes to it: in colour only where that is allowed, and not when it is silent. */
class PromptOutput extends Writable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.WriteStream;
  readonly #inColour: boolean;
  isSilent = false;

  constructor(terminal: NodeJS.WriteStream) {
    super({decodeStrings: false});
    this.#terminal = terminal;
    this.#inColour = colourLevel(terminal, process.argv.includes('--no-color')) > 0;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  override _write(text: unknown, _encoding: string, done: () => void): void {
    const shown = this.#inColour ? String(text) : String(text).replace(colours, '');
    if (!this.isSilent) this.#terminal.write(shown);
    done();
  }
}

function cancelled(error: unknown): never {
  if (!(error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) throw error;
  throw new AppError('cancelled', 'Cancelled; nothing was changed.', {cause: error});
}

/** Asks for a secret, masked while it is typed; see `cleanSecret`. @throws AppError `cancelled` on Ctrl-C. */
export async function askSecret(message: string, validate: Validate = () => true): Promise<string> {
  const {password} = await import('./inquirer.js');
  const check: Validate = (text) =>
    cleanSecret(text) === '' ? 'Please enter a value.' : validate(cleanSecret(text));
  return cleanSecret(
    await withoutLeadingBreaks(() =>
      ask((context, isValid) => password({message, mask: true, validate: isValid}, context), check),
    ),
  );
}

/** Asks for a line of text. @throws AppError `cancelled` on Ctrl-C. */
export async function askText(
  message: string,
  {default: usual, validate = () => true}: {readonly default?: string; validate?: Validate} = {},
): Promise<string> {
  const {input} = await import('./inquirer.js');
  return ask(
    (context, isValid) =>
      input({message, validate: isValid, ...(usual !== undefined && {default: usual})}, context),
    validate,
  );
}
