import type {AppError, ErrorKind} from '../errors.js';
import {escapeControl} from './escape.js';
import type {Palette} from './palette.js';

/** An error as scripts read it, under `--json`. What is not named here is never shown. */
export type ErrorJson = {
  error: {
    kind: ErrorKind;
    exit_code: number;
    message: string;
    hint?: string;
    code?: string;
    request_id?: string;
    status?: number;
    /** Seconds that the service asks to wait before another try. */
    retry_after?: number;
    /** The operation may have been carried out all the same. */
    outcome_unknown?: true;
  };
};

/**
 * An error for people: what happened, what to do next, and what to quote to the service's operator.
 * A message of several lines is indented after the first, so that nothing in it can pose as a
 * message of ours. No line feed at the end.
 */
export function renderError(error: AppError, palette: Palette): string {
  const [first = '', ...rest] = lines(error.message);
  const reference = [
    ...(error.code === undefined ? [] : [`code ${escapeControl(error.code)}`]),
    ...(error.requestId === undefined ? [] : [`request id ${escapeControl(error.requestId)}`]),
  ].join(', ');
  return [
    `${palette.error('Error:')} ${first}`,
    ...[...rest, ...lines(error.hint ?? '')].map((line) => `  ${line}`),
    ...(reference === '' ? [] : [palette.muted(`  ${reference}`)]),
  ].join('\n');
}

/** The same error for scripts: the one JSON object on stdout. */
export function errorJson(error: AppError): ErrorJson {
  return {
    error: {
      kind: error.kind,
      exit_code: error.exitCode,
      message: error.message,
      ...(error.hint !== undefined && {hint: error.hint}),
      ...(error.code !== undefined && {code: error.code}),
      ...(error.requestId !== undefined && {request_id: error.requestId}),
      ...(error.status !== undefined && {status: error.status}),
      ...(error.retryAfter !== undefined && {retry_after: Math.ceil(error.retryAfter / 1000)}),
      ...(error.outcomeUnknown && {outcome_unknown: true}),
    },
  };
}

/** A text's lines, each safe to show. */
function lines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map(escapeControl);
}
