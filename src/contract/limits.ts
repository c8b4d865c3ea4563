/** Sizes, durations and defaults of the reference service. Durations are in seconds unless stated otherwise. */
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
  /** Bounds and default of the heartbeat interval. */
  heartbeatInterval: {min: 1, max: 24 * 60 * 60, default: 60},
  /** Bounds and default of the page size of the connector list. */
  page: {min: 1, max: 1000, default: 100},
  /** The most unused activation tokens, connectors, and lists read at once, per organization. */
  organization: {tokens: 100_000, connectors: 200_000, lists: 32},
  /** The most activations with a malformed or unknown token, per minute and client address. */
  activationFailureLimit: 10,
} as const;

/** The default address of `serve`, and of the service for every client command. */
export const defaultEndpoint = {host: '127.0.0.1', port: 4480} as const;

/**
 * The statuses of a connector at the reference service (interface §3: states not shown). Not in the module of the
 * schemas, which shell completion need not load.
 */
export const connectorStatuses = ['never', 'online', 'stale', 'offline', 'revoked'] as const;

/** The access of an organization's API key: everything, or only reading. */
export const keyAccesses = ['full', 'read'] as const;
export type KeyAccess = (typeof keyAccesses)[number];

/** The form of a connector's id at the reference service. Not in `domain/ids.ts`, which loads a library. */
export const referenceId = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;
