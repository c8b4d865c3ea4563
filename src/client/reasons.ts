import {AppError, type AppErrorOptions, type ErrorKind} from '../errors.js';

/**
 * The `reason` of every error of the client, for programs. Names never change their meaning; later versions may add
 * some.
 */
export type ClientErrorReason =
  // An option or an argument is invalid. Nothing was sent.
  | 'api-key-invalid'
  | 'auth-header-invalid'
  | 'base-url-invalid'
  | 'connector-id-invalid'
  | 'idempotency-key-invalid'
  | 'interval-invalid'
  | 'proxy-invalid'
  | 'retries-invalid'
  | 'timeout-invalid'
  // The caller's signal was aborted.
  | 'cancelled'
  // `isHealthy` of `keepAlive` returned false or failed. Nothing was sent.
  | 'unhealthy'
  // No complete response. `details` has `origin`, `baseUrl` and, with a proxy, `proxy` and `proxyVariable`.
  | 'body-corrupt'
  | 'body-incomplete'
  | 'certificate-expired'
  | 'certificate-invalid'
  | 'certificate-not-yet-valid'
  | 'certificate-self-signed'
  | 'certificate-untrusted'
  | 'certificate-wrong-host'
  | 'connection-lost'
  | 'connection-refused'
  | 'connection-failed'
  | 'headers-too-large'
  | 'host-unknown'
  | 'host-unreachable'
  | 'host-unresolved'
  | 'not-http'
  | 'not-tls'
  | 'proxy-refused'
  | 'redirect-invalid'
  | 'redirect-loop'
  | 'timed-out'
  | 'tls-failed'
  // The service reports an error. `details` has `origin` and `baseUrl`, and where they are known `connectorId`,
  // `suggestedBaseUrl`, `redirectTarget`, and `clockAhead`: milliseconds that this machine's clock
  // is ahead of the service's.
  | 'activation-token-expired'
  | 'activation-token-malformed'
  | 'activation-token-rejected'
  | 'activation-token-unknown'
  | 'activation-token-unusable'
  | 'activation-token-used'
  | 'api-key-expired'
  | 'api-key-malformed'
  | 'api-key-missing'
  | 'api-key-read-only'
  | 'api-key-rejected'
  | 'api-key-revoked'
  | 'api-key-withheld'
  | 'connector-conflict'
  | 'connector-unknown'
  | 'operation-unsupported'
  | 'proxy-authentication-required'
  | 'redirect-not-followed'
  | 'request-conflict'
  | 'request-rejected'
  | 'route-unknown'
  | 'service-failed'
  | 'service-unavailable'
  | 'status-unexpected'
  | 'too-many-connectors'
  | 'too-many-tokens'
  // The response breaks the interface. `details` has `baseUrl`, and `suggestedBaseUrl` where known.
  | 'list-incomplete'
  | 'response-invalid'
  | 'response-too-long';

/**
 * Whether another attempt may help.
 * `not-processed`: the service did not process the request; any operation may be repeated.
 * `unknown`: the response was lost, and the work may be done; only a repeatable operation is repeated.
 * `permanent`: another attempt cannot help.
 */
export type Retryability = 'not-processed' | 'unknown' | 'permanent';

/** An error of the client: it has a reason, and leaves the hint to the program that uses the client. */
export class ClientError extends AppError {
  readonly retryability: Retryability;

  constructor(
    kind: ErrorKind,
    message: string,
    reason: ClientErrorReason,
    options: Omit<AppErrorOptions, 'hint' | 'reason'> & {
      retryability?: Retryability | undefined;
    } = {},
  ) {
    super(kind, message, {...options, reason});
    this.retryability = options.retryability ?? 'permanent';
  }
}
