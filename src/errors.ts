/** The one table of exit codes, from which the table in docs/commands/exit-codes.md is generated. */
export const exitCodes = {
  ok: {code: 0, when: 'Success, also for an empty list.'},
  internal: {code: 1, when: 'Unexpected internal error; the message says how to report it.'},
  usage: {
    code: 2,
    when: 'A bad flag, argument, setting or input (400, 422, other 4xx), or missing input without a terminal.',
  },
  auth: {code: 3, when: 'The service refused the credentials (401, 403).'},
  not_found: {code: 4, when: 'No such connector, key, store or route (404).'},
  conflict: {
    code: 5,
    when: 'The activation token was used or has expired, or the service reports another conflict (409, 410).',
  },
  unavailable: {
    code: 6,
    when: 'No connection, a time-out, 408, 425, 429 or 503 that outlasted the retries, another process activates into the same file, a command of --exec fails, or a store is in use, damaged or full.',
  },
  remote: {
    code: 7,
    when: 'The service failed in another way (any other 5xx, or an error in a 2xx response).',
  },
  protocol: {
    code: 8,
    when: 'The response breaks the interface or a list is incomplete; the message says what is wrong.',
  },
  unmet: {
    code: 9,
    when: 'Carried out, with a negative result: a check does not hold, or a machine of a list is not activated.',
  },
  hung_up: {
    code: 129,
    when: 'Interrupted by SIGHUP, as when its terminal closes, before it was done.',
  },
  cancelled: {code: 130, when: 'Declined, or interrupted (Ctrl-C, SIGINT) before it was done.'},
  terminated: {code: 143, when: 'Interrupted by SIGTERM before it was done.'},
} as const satisfies Record<string, {code: number; when: string}>;

/** The kinds of failure, each with its own exit code. */
export type ErrorKind = Exclude<keyof typeof exitCodes, 'ok'>;

/** The parts of an error besides its message. None of them may hold a secret. */
export interface AppErrorOptions {
  /** The next step, as a sentence or as a literal command. The client sets none. */
  hint?: string | undefined;
  /** The reason as a stable name such as `certificate-untrusted`; the command line looks up the hint by it. */
  reason?: string | undefined;
  /** Values that belong to the reason, such as the URL. */
  details?: Readonly<Record<string, string | undefined>> | undefined;
  /** The service's own error code, where it gave one (for instance `token_used`). */
  code?: string | undefined;
  /** The service's own id of the request, where it gave one. */
  requestId?: string | undefined;
  /** The HTTP status of the response; undefined without one. */
  status?: number | undefined;
  /** Milliseconds that the service asks to wait before another try (RFC 9110 §10.2.3). */
  retryAfter?: number | undefined;
  /** Whether the operation may have been carried out, because a response was lost or could not be read. */
  outcomeUnknown?: boolean | undefined;
  /** Shown with `--debug` only. */
  cause?: unknown;
}

/** An expected failure: what happened, to what, and what to do next; `AppErrorOptions` describes its parts. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, string | undefined>>;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly outcomeUnknown: boolean;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : {cause: options.cause});
    this.kind = kind;
    this.hint = options.hint;
    this.reason = options.reason;
    this.details = options.details ?? {};
    this.code = options.code;
    this.requestId = options.requestId;
    this.status = options.status;
    this.retryAfter = options.retryAfter;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }

  /** A copy of the error with some parts changed. */
  with({
    kind = this.kind,
    message = this.message,
    ...changes
  }: AppErrorOptions & {kind?: ErrorKind; message?: string}): AppError {
    return new AppError(kind, message, {...this, cause: this.cause, ...changes});
  }

  /** Whether a later try may succeed: the service is unavailable or has failed. */
  get isTransient(): boolean {
    return this.kind === 'unavailable' || this.kind === 'remote';
  }

  /** The exit code of the process for this kind of failure. */
  get exitCode(): number {
    return exitCodes[this.kind].code;
  }
}
