import type {AppError} from '../../errors.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';

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

/** An error under `--json`. */
export type ErrorJson = ReturnType<typeof errorJson>;

/** An error for scripts: the one JSON object on stdout. Only the fields named here are ever shown. */
export function errorJson(error: AppError) {
  return {
    error: {
      kind: error.kind,
      exit_code: error.exitCode,
      message: error.message,
      /** The reason, as a stable name such as `certificate-untrusted`. */
      reason: error.reason,
      hint: error.hint,
      code: error.code,
      request_id: error.requestId,
      status: error.status,
      /** Seconds that the service asks to wait before a retry. */
      retry_after: error.retryAfter && Math.ceil(error.retryAfter / 1000),
      /** The operation may have succeeded nevertheless. */
      outcome_unknown: error.outcomeUnknown ? true : undefined,
    },
  };
}

/** The lines of a text, each safe to show. */
function lines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map(escapeControl);
}
