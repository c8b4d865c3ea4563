import {Writable} from 'node:stream';
import {cleanSecret} from '../../domain/clean-secret.js';
import {AppError} from '../../errors.js';
import {colorLevel} from './capabilities.js';
import {withoutLeadingBreaks} from './paste.js';
import {runInterruptible} from './signals.js';

/** The options of the library besides a question. */
interface Context {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/** True for a valid input; otherwise an error message, and the prompt asks again. */
type Validate = (text: string) => true | string;

/** Asks again when `check` throws an `AppError`. */
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

/** The error for a missing value that could be prompted for elsewhere. */
export function missingInput(what: string, hint: string): AppError {
  const message = `Missing ${what} (no prompt without a terminal, in CI or with --no-input).`;
  return new AppError('usage', message, {hint});
}

/** Shows a prompt and returns its valid input. */
type Question = (context: Context, validate: Validate) => Promise<string>;

/**
 * Prompts on stderr, because stdout is for results. A canceled prompt leaves nothing on the terminal.
 *
 * @throws AppError `cancelled` on Ctrl-C, and on Ctrl-D, which ends the input
 */
async function ask(question: Question, validate: Validate): Promise<string> {
  for (;;) {
    const response = await askOnce(question, validate);
    if (response !== undefined) return response;
  }
}

/** @returns undefined when the process was suspended (Ctrl-Z), which ends the prompt */
async function askOnce(question: Question, validate: Validate): Promise<string | undefined> {
  const output = new PromptOutput(process.stderr);
  const ended = new AbortController();
  let isAnswered = false;
  const check: Validate = (text) => {
    const verdict = validate(text);
    isAnswered = verdict === true;
    return verdict;
  };
  // The prompt never settles when its input ends; the process then becomes idle.
  const onIdle = () => ended.abort();
  // Readline never reads again, and the screen now belongs to the shell.
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
      const response = await question(context, check).catch((error: unknown) => {
        if (output.isSilent && !stop.aborted) return undefined;
        return canceled(error);
      });
      // A signal may arrive with the answer.
      stop.throwIfAborted();
      return response;
    });
  } finally {
    process.off('beforeExit', onIdle);
    process.off('SIGCONT', onResume);
  }
}

const escapeCharacter = '\x1b';
const colors = new RegExp(`${escapeCharacter}\\[[\\d;]*m`, 'g');

/** The terminal for a prompt: without colors where they are disabled, and without output when silent. */
class PromptOutput extends Writable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.WriteStream;
  readonly #inColor: boolean;
  isSilent = false;

  constructor(terminal: NodeJS.WriteStream) {
    super({decodeStrings: false});
    this.#terminal = terminal;
    this.#inColor = colorLevel(terminal, process.argv.includes('--no-color')) > 0;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  override _write(text: unknown, _encoding: string, done: () => void): void {
    const shown = this.#inColor ? String(text) : String(text).replace(colors, '');
    if (!this.isSilent) this.#terminal.write(shown);
    done();
  }
}

function canceled(error: unknown): never {
  if (!(error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) throw error;
  throw new AppError('cancelled', 'Canceled; nothing was changed.', {cause: error});
}

/** Prompts for a secret with masked input; see `cleanSecret`. @throws AppError `cancelled` on Ctrl-C. */
export async function askSecret(message: string, validate: Validate): Promise<string> {
  const {password} = await import('./inquirer.js');
  const check: Validate = (text) => {
    if (cleanSecret(text) === '') return 'Please enter a value.';
    const verdict = validate(cleanSecret(text));
    // The library keeps the input, so what is pasted next would be added to it, unseen.
    return verdict === true || `${verdict} Press Ctrl-U to clear it.`;
  };
  return cleanSecret(
    await withoutLeadingBreaks(() =>
      ask((context, isValid) => password({message, mask: true, validate: isValid}, context), check),
    ),
  );
}

/** Prompts for a line of text; Enter alone takes the usual one. @throws AppError `cancelled` on Ctrl-C. */
export async function askText(message: string, usual: string, check: Validate): Promise<string> {
  const {input} = await import('./inquirer.js');
  return ask((context, validate) => input({message, validate, default: usual}, context), check);
}

/**
 * Asks a question that Enter answers with the usual answer, yes by default.
 *
 * @throws AppError `cancelled` on Ctrl-C
 */
export async function askYesNo(message: string, {usual = true} = {}): Promise<boolean> {
  const {confirm} = await import('./inquirer.js');
  const question: Question = async (context) =>
    String(await confirm({message, default: usual}, context));
  return (await ask(question, () => true)) === 'true';
}
