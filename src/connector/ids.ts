import {redactSecrets} from '../domain/secret.js';
import {counted} from '../domain/words.js';
import {AppError} from '../errors.js';
import type {Io} from '../terminal/io.js';
import {readUserText} from '../terminal/user-text.js';
import {requireId} from './id-words.js';

/** The argument that reads ids from stdin. */
const stdinWord = '-';

/** The id on a command line that names one; undefined for several, or for ids from stdin. */
export function singleId(words: readonly string[]): string | undefined {
  const [id] = words;
  return words.length === 1 && id !== stdinWord ? id : undefined;
}

/**
 * The ids that the words of a command line name, each once; `-` stands for those on stdin, separated by
 * white space.
 *
 * @throws AppError `usage` when stdin cannot be read, or an id is a secret or a path
 */
export async function readIds(words: readonly string[], io: Io): Promise<readonly string[]> {
  const piped = words.includes(stdinWord) ? await idsFromStdin(io) : [];
  const ids = new Set(words.flatMap((word) => (word === stdinWord ? piped : [word])));
  for (const id of ids) requireId(id);
  if (ids.size === 0) io.note('stdin holds no id: nothing was sent.');
  return [...ids];
}

async function idsFromStdin(io: Io): Promise<readonly string[]> {
  const content = await readUserText({
    path: stdinWord,
    what: 'the ids',
    hint: 'Pipe them in: connectorctl connector list -o id | connectorctl connector get -',
    io,
  });
  return content.split(/\s+/).filter((word) => word !== '');
}

/** The outcome for one of several ids. */
export type IdResult<T> =
  | {readonly id: string; readonly value: T}
  | {readonly id: string; readonly error: AppError}
  /** The id was not tried, because an earlier error concerns it too. */
  | {readonly id: string; readonly error: undefined};

/**
 * Does some work for each id in turn. An error concerns one id, unless the service refuses the key or sends
 * no response at all: then the rest is not tried.
 */
export async function* forEachId<T>(
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): AsyncGenerator<IdResult<T>, void, undefined> {
  let isOver = false;
  for (const id of ids) {
    if (isOver) {
      yield {id, error: undefined};
      continue;
    }
    const outcome = await work(id).then(
      (value) => ({id, value}),
      (error: unknown) => {
        if (error instanceof AppError) return {id, error};
        throw error;
      },
    );
    isOver = 'error' in outcome && concernsAll(outcome.error);
    yield outcome;
  }
}

/**
 * Reports the failures among several ids on stderr; the process exits with the code of the first.
 *
 * @returns the outcomes, with the hints of their errors
 */
export async function* reported<T>(
  outcomes: AsyncIterable<IdResult<T>>,
  io: Io,
): AsyncGenerator<IdResult<T>> {
  let skipped = 0;
  for await (const outcome of outcomes) {
    const error = 'error' in outcome ? outcome.error : undefined;
    if (!('value' in outcome) && error === undefined) skipped += 1;
    yield error === undefined ? outcome : {id: outcome.id, error: await report(error, io)};
  }
  if (skipped > 0) io.error(`Not tried: ${counted(skipped, 'more id')}.`);
}

async function report(error: AppError, io: Io): Promise<AppError> {
  io.exitCode ??= error.exitCode;
  const {withHint} = await import('../cli/errors/hints.js');
  const {renderError} = await import('../cli/errors/view.js');
  const failure = withHint(error);
  const palette = await io.stderr.palette();
  io.error(redactSecrets(await renderError(failure, palette, io.stderr.width)));
  return failure;
}

/** The values of the ids for which the work succeeded. */
export async function* valuesOf<T>(outcomes: AsyncIterable<IdResult<T>>): AsyncGenerator<T> {
  for await (const outcome of outcomes) if ('value' in outcome) yield outcome.value;
}

function concernsAll({kind, reason, status}: AppError): boolean {
  // A network error has a reason and no status. A time-out of --wait has neither, and concerns one id only.
  const isUnreachable = kind === 'unavailable' && reason !== undefined && status === undefined;
  return kind === 'auth' || isUnreachable;
}
