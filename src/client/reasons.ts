import type {ProblemCode} from '../contract/index.js';

/**
 * The reasons for a missing or incomplete response. Each text ends a message that begins with "Cannot …: "; HOST stands
 * for the host, PROXY for the proxy.
 */
export const networkTexts = {
  'body-corrupt': 'the compressed response of HOST is corrupt',
  'certificate-expired': 'the certificate of HOST has expired',
  'certificate-invalid': 'the certificate of HOST is not valid',
  'certificate-not-yet-valid': 'the certificate of HOST is not valid yet',
  'certificate-self-signed': 'the certificate of HOST is self-signed',
  'certificate-untrusted':
    'the certificate of HOST is signed by an authority that is not trusted here',
  'certificate-wrong-host': 'the certificate of HOST is for another host name',
  'connection-failed': 'the request to HOST failed',
  'connection-lost': 'the connection to HOST was lost before the response was complete',
  'connection-refused': 'nothing listens at HOST',
  'headers-too-large': 'the headers of the response of HOST are too long',
  'host-unknown': 'the host name of HOST does not exist',
  'host-unreachable': 'HOST cannot be reached',
  'host-unresolved': 'the host name of HOST cannot be looked up now',
  'idempotency-key-invalid': 'the Idempotency-Key has characters that no header can carry',
  'not-http': 'the response of HOST is not HTTP',
  'not-tls': 'HOST does not speak TLS',
  'proxy-authentication-required': 'the proxy PROXY wants the right user name and password',
  'proxy-failed': 'the proxy PROXY cannot connect to HOST now',
  'proxy-refused': 'the proxy PROXY refuses to connect to HOST',
  'redirect-invalid': 'HOST redirects to something that is not a URL',
  'redirect-loop': 'HOST redirects in a loop',
  'tls-failed': 'no secure connection to HOST could be established',
} as const;

/**
 * The reasons for error codes of the reference service that say more than the status. Other services may use the same
 * codes.
 */
export const codeReasons = {
  key_expired: 'api-key-expired',
  key_malformed: 'api-key-malformed',
  key_read_only: 'api-key-read-only',
  key_revoked: 'api-key-revoked',
  token_expired: 'activation-token-expired',
  token_malformed: 'activation-token-malformed',
  token_unknown: 'activation-token-unknown',
  token_used: 'activation-token-used',
  too_many_connectors: 'too-many-connectors',
  too_many_tokens: 'too-many-tokens',
} as const satisfies Partial<Record<ProblemCode, string>>;

/**
 * The `reason` of every error of the client, for programs. Names never change their meaning; later versions may add
 * names.
 */
export type ClientErrorReason =
  // An option, an argument or the variable of a proxy is invalid. Nothing was sent.
  | 'api-key-invalid'
  | 'auth-header-invalid'
  | 'base-url-invalid'
  | 'connector-id-invalid'
  | 'interval-invalid'
  | 'option-unknown'
  | 'proxy-invalid'
  | 'retries-invalid'
  | 'timeout-invalid'
  // The caller's signal was aborted.
  | 'cancelled'
  // `isHealthy` of `keepAlive` returned false or failed. Nothing was sent.
  | 'unhealthy'
  // No complete response. `details` has `baseUrl`, `origin` (who failed: the service, or the proxy before it) and, with a
  // proxy, `proxy` and `proxyVariable`; `whyDirect`, where variables name a proxy that was not used.
  | keyof typeof networkTexts
  | 'timed-out'
  // The service reports an error. `details` has `origin` and `baseUrl`, and where they are known `connectorId`, `keyKind`,
  // `redirectTarget`, and `clockAhead`: milliseconds that this machine's clock is ahead of the service's (negative: behind).
  | (typeof codeReasons)[keyof typeof codeReasons]
  | 'activation-token-rejected'
  | 'activation-token-unusable'
  | 'api-key-missing'
  | 'api-key-rejected'
  // The client sent the key, but the service received none.
  | 'api-key-removed'
  | 'api-key-withheld'
  | 'connector-conflict'
  | 'connector-unknown'
  | 'operation-unsupported'
  | 'redirect-not-followed'
  | 'request-conflict'
  | 'request-rejected'
  | 'route-unknown'
  | 'service-failed'
  | 'service-unavailable'
  | 'status-unexpected'
  // The response breaks the interface. `details` has `baseUrl`.
  | 'body-incomplete'
  | 'list-incomplete'
  | 'response-invalid'
  | 'response-too-long';
