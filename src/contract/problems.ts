/**
 * Every error response of the reference service: the stable `code` of its problem document (RFC 9457),
 * and its HTTP status. The interface leaves errors open (interface §7).
 */
export const problems = {
  body_malformed: {status: 400, title: 'The request body is not valid JSON'},
  request_invalid: {status: 400, title: 'The request is not valid'},
  token_malformed: {status: 400, title: 'The activation token is mistyped or incomplete'},
  key_missing: {status: 401, title: 'An API key is required'},
  key_malformed: {status: 401, title: 'The API key is mistyped or incomplete'},
  key_unknown: {status: 401, title: 'The API key is not accepted'},
  key_revoked: {status: 401, title: 'The API key was revoked'},
  key_expired: {status: 401, title: 'The API key has expired'},
  token_unknown: {status: 401, title: 'The activation token is not known'},
  key_forbidden: {status: 403, title: 'The API key does not allow this operation'},
  key_read_only: {status: 403, title: 'The API key may only read'},
  connector_unknown: {status: 404, title: 'No such connector'},
  route_unknown: {status: 404, title: 'No such route'},
  method_not_allowed: {status: 405, title: 'The route does not support this method'},
  token_used: {status: 409, title: 'The activation token was already used'},
  token_expired: {status: 410, title: 'The activation token has expired'},
  body_too_large: {status: 413, title: 'The request body is too large'},
  uri_too_long: {status: 414, title: 'The request path is too long'},
  rate_limited: {status: 429, title: 'Too many refused activations'},
  too_many_tokens: {status: 429, title: 'The organization has too many unused activation tokens'},
  internal: {status: 500, title: 'The service failed'},
  overloaded: {status: 503, title: 'The service is overloaded'},
  store_unavailable: {status: 503, title: 'The store cannot be written to or read'},
  no_api_key: {status: 503, title: 'The store has no API key yet'},
  audit_unavailable: {status: 503, title: 'The audit log takes no more records'},
  stopping: {status: 503, title: 'The service is stopping'},
  too_many_lists: {status: 503, title: 'The organization reads too many lists at once'},
  store_full: {status: 507, title: 'The store has no space left'},
  too_many_connectors: {status: 507, title: 'The organization has reached its limit of connectors'},
} as const satisfies Record<string, {status: number; title: string}>;

/** The stable code of an error response. */
export type ProblemCode = keyof typeof problems;
