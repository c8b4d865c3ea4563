import type {AppError} from '../../errors.js';
import type {ErrorJson} from '../../report/output.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import {measurerFor, type TextMeasurer} from '../../terminal/text-width.js';

/**
 * An error for people: what happened, what to do next, and what to quote to the service's operator.
 * All lines but the first are indented, so text from a service cannot imitate our own messages. No
 * line feed at the end.
 *
 * @param width of the terminal in columns; undefined: lines are not broken
 */
export async function renderError(
  error: AppError,
  palette: Palette,
  width: number | undefined,
): Promise<string> {
  const [first = '', ...rest] = lines(error.message);
  const reference = [
    ...(error.code === undefined ? [] : [`code ${escapeControl(error.code)}`]),
    ...(error.requestId === undefined ? [] : [`request id ${escapeControl(error.requestId)}`]),
  ].join(', ');
  const shown = [`Error: ${first}`, ...rest, ...lines(error.hint ?? ''), reference];
  const measurer = await measurerFor(shown);
  const [head, ...below] = shown
    .filter((line) => line !== '')
    .flatMap((line) => inLines(line, (width ?? Number.POSITIVE_INFINITY) - 2, measurer));
  const muted = below.length - (reference === '' ? 0 : 1);
  return [
    head?.replace(/^Error:/, (word) => palette.error(word)),
    ...below.map((line, at) => (at < muted ? `  ${line}` : palette.muted(`  ${line}`))),
  ].join('\n');
}

/** An error for scripts: the one JSON object on stdout. Only the fields named here are ever shown. */
export function errorJson(error: AppError): ErrorJson {
  return {
    error: {
      kind: error.kind,
      exit_code: error.exitCode,
      message: error.message,
      reason: error.reason,
      hint: error.hint,
      code: error.code,
      request_id: error.requestId,
      status: error.status,
      retry_after: error.retryAfter && Math.ceil(error.retryAfter / 1000),
      outcome_unknown: error.outcomeUnknown ? true : undefined,
    },
  };
}

/** The lines of a text, each safe to show. */
function lines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map(escapeControl);
}

/** Matches a command to copy, up to the end of its sentence, or a word. */
const whole = /connectorctl (?:(?!\.(?: |$)).)+\.?|\S+/g;

/** Breaks a line between words, but not within a command to copy: the terminal itself breaks what is too long. */
function inLines(text: string, width: number, {width: measure}: TextMeasurer): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  for (const part of text.match(whole) ?? []) {
    const longer = `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && measure(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(part);
  }
  return lines;
}
