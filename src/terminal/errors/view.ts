import type {AppError, ErrorKind} from '../../errors.js';
import {escapeControl} from '../escape.js';
import type {Palette} from '../palette.js';

/** An error under `--json`. Only the fields named here are ever shown. */
export type ErrorJson = {
  error: {
    kind: ErrorKind;
    exit_code: number;
    message: string;
    /** What went wrong, as a stable name such as `certificate-untrusted`. */
    reason?: string;
    hint?: string;
    code?: string;
    request_id?: string;
    status?: number;
    /** Seconds that the service asks to wait before a retry. */
    retry_after?: number;
    /** The operation may have succeeded nevertheless. */
    outcome_unknown?: true;
  };
};

/**
 * An error for people: what happened, what to do next, and what to quote to the service's operator.
 * All lines but the first are indented, so text from a service cannot imitate our own messages. No
 * line feed at the end.
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

/** An error for scripts: the one JSON object on stdout. */
export function errorJson(error: AppError): ErrorJson {
  return {
    error: {
      kind: error.kind,
      exit_code: error.exitCode,
      message: error.message,
      ...(error.reason !== undefined && {reason: error.reason}),
      ...(error.hint !== undefined && {hint: error.hint}),
      ...(error.code !== undefined && {code: error.code}),
      ...(error.requestId !== undefined && {request_id: error.requestId}),
      ...(error.status !== undefined && {status: error.status}),
      ...(error.retryAfter !== undefined && {retry_after: Math.ceil(error.retryAfter / 1000)}),
      ...(error.outcomeUnknown && {outcome_unknown: true}),
    },
  };
}

/** The lines of a text, each safe to show. */
function lines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map(escapeControl);
}
