/** Header names that both sides use; HTTP compares them without regard to case (RFC 9110 §5.1). */
export const headers = {
  /** Another place for an API key: bare, where a client cannot send `Authorization`. */
  apiKey: 'x-api-key',
  authorization: 'authorization',
  /** IETF draft-ietf-httpapi-idempotency-key-header. */
  idempotencyKey: 'idempotency-key',
  link: 'link',
  requestId: 'x-request-id',
  retryAfter: 'retry-after',
} as const;

/** Media type of an error answer (RFC 9457 §3). */
export const problemMediaType = 'application/problem+json';
