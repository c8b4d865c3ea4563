/** Header names of requests and responses; HTTP ignores their case (RFC 9110 §5.1). */
export const headers = {
  /** The bare API key, for clients that cannot send `Authorization`. */
  apiKey: 'x-api-key',
  authorization: 'authorization',
  /** IETF draft-ietf-httpapi-idempotency-key-header. */
  idempotencyKey: 'idempotency-key',
  /** Access of the API key of the request; see `keyAllows`. */
  keyAccess: 'connectorctl-key-access',
  /** Creation of an API key that expires, in ISO 8601. */
  keyCreated: 'connectorctl-key-created',
  /** Expiry of an API key that expires, in ISO 8601. */
  keyExpires: 'connectorctl-key-expires',
  /** The expiry of the API key at services that send GitHub's header. */
  tokenExpiration: 'github-authentication-token-expiration',
  link: 'link',
  /** A random id of the process that sends the heartbeats. */
  process: 'connectorctl-process',
  requestId: 'x-request-id',
  retryAfter: 'retry-after',
  /** `virtual` at a sandbox, whose clock and data are not real. */
  clock: 'connectorctl-clock',
} as const;

/** Whether these headers of a response say that the clock of the service is virtual. */
export const hasVirtualClock = (sent: Readonly<Record<string, string | undefined>>): boolean =>
  sent[headers.clock] === 'virtual';

/** Media type of an error response (RFC 9457 §3). */
export const problemMediaType = 'application/problem+json';
