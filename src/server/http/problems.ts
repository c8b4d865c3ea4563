import {type Problem, type ProblemCode, problemMediaType, problems} from '../../contract/index.js';
import {StoreError} from '../../store/store.js';
import {meanings} from '../admin/store-errors.js';

/** Optional parts of a problem, none of which may hold a secret. */
interface ProblemOptions {
  /** The cause of this occurrence, and the remedy. */
  readonly detail?: string | undefined;
  /** One entry for each invalid field; `path` is a JSON Pointer (RFC 6901). */
  readonly errors?: readonly {readonly path: string; readonly message: string}[] | undefined;
  /** Seconds after which to retry, sent as `Retry-After`. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** An error from the contract's table of problems. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(problems[code].title, {cause: options.cause});
    this.code = code;
    this.status = problems[code].status;
    this.options = options;
  }
}

/** Seconds until a retry after a temporary error. */
export const retrySeconds = 1;

/** Problems for Fastify's own errors, by Fastify's code: https://fastify.dev/docs/latest/Reference/Errors/ */
const frameworkProblems: Readonly<Record<string, readonly [ProblemCode, detail?: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'body_malformed',
    'The length of the body differs from Content-Length.',
  ],
  FST_ERR_BAD_URL: ['request_invalid', 'The path is not percent-encoded correctly.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long'],
};

/**
 * Converts any error to a problem: our own unchanged, errors of the store and of Fastify by their tables, any other 4xx
 * of Fastify to `request_invalid`, and the rest to `internal`, without the message of the error.
 */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StoreError) {
    const [, code] = meanings[error.kind];
    const retryAfter = problems[code].status === 503 ? retrySeconds : undefined;
    return new ProblemError(code, {retryAfter, cause: error});
  }
  const {code, statusCode}: {code?: unknown; statusCode?: unknown} = Object(error);
  const isRefusal = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  const otherwise = [isRefusal ? 'request_invalid' : 'internal'] as const;
  const [problem, detail] = frameworkProblems[String(code)] ?? otherwise;
  return new ProblemError(problem, {detail, cause: error});
}

/** The body of an error response (RFC 9457). */
export function problemDocument({code, options, ...problem}: ProblemError, id: string): Problem {
  const {detail, errors} = options;
  return {
    type: `urn:connectorctl:problem:${code}`,
    title: problems[code].title,
    status: problem.status,
    ...(detail === undefined ? {} : {detail}),
    code,
    request_id: id,
    ...(errors === undefined ? {} : {errors: [...errors]}),
  };
}

/** Headers of a problem response, besides the default headers. */
export function problemHeaders({status, options}: ProblemError): Record<string, string> {
  return {
    'content-type': problemMediaType,
    // A 401 must say how to authenticate (RFC 9110 §15.5.2).
    ...(status === 401 ? {'www-authenticate': 'Bearer'} : {}),
    ...(options.retryAfter === undefined ? {} : {'retry-after': String(options.retryAfter)}),
  };
}
