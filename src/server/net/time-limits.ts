/** Time limits of connections, in milliseconds. */
export interface TimeLimits {
  /** From the first byte of a request, or from the connection, to the end of its headers. */
  readonly headers: number;
  /** From the first byte of a request to its last. */
  readonly request: number;
  /** From a response to the next request: above the usual heartbeat interval, so that connections last. */
  readonly keepAlive: number;
  /** Without a byte in either direction: who does not read a response is cut. */
  readonly idle: number;
  /** From the wish to stop to the cut of what is still in flight. */
  readonly stop: number;
  /** From the wish to stop to the cut of connections on which a request, or a TLS handshake, has only begun. */
  readonly stopUnused: number;
}

/** The limits unless told otherwise. */
export const defaultTimeLimits: TimeLimits = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 75_000,
  idle: 120_000,
  stop: 10_000,
  stopUnused: 1000,
};
