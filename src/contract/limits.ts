/** Sizes, durations and defaults that the reference service keeps to. Durations are in seconds unless named otherwise. */
export const limits = {
  /** Largest request body, in bytes. */
  bodyBytes: 16 * 1024,
  /** Largest request line and headers together, in bytes. */
  headerBytes: 16 * 1024,
  /** Longest path parameter, in characters. */
  pathParameterLength: 1024,
  /** Longest connector name, in Unicode code points, after trimming. */
  nameLength: 128,
  /** Longest description of an activation token or an API key, in Unicode code points. */
  descriptionLength: 256,
  /** Longest Idempotency-Key, in characters. */
  idempotencyKeyLength: 255,
  /** Bounds and default of an activation token's lifetime. */
  tokenTtl: {min: 60, max: 24 * 60 * 60, default: 15 * 60},
  /** Bounds and default of the interval at which a connector is asked to send heartbeats. */
  heartbeatInterval: {min: 1, max: 24 * 60 * 60, default: 60},
  /** Bounds and default of one page of the connector list. */
  page: {min: 1, max: 1000, default: 100},
  /** Refused activations that one address may cause per minute. */
  activationFailureLimit: 10,
} as const;

/** Where `serve` listens, and where every client command looks, unless told otherwise. */
export const defaultEndpoint = {host: '127.0.0.1', port: 4480} as const;

/**
 * What a connector's status can be at the reference service (interface §3: states not shown), apart
 * from its schema: completion offers them, and loads nothing for it.
 */
export const connectorStatuses = ['never', 'online', 'stale', 'offline', 'revoked'] as const;
