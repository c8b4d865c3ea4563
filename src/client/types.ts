/**
 * Any JSON value that a service may answer. An integer that a double cannot hold exactly is a
 * bigint, so that a 64-bit id stays as it was sent; note that `JSON.stringify` refuses bigints.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

/** A JSON object as a service answered it: fields unchanged and complete, known to us or not. */
export interface JsonObject {
  [field: string]: Json;
}

/** How to reach a service. Only `baseUrl` is needed. */
export interface ClientOptions {
  /**
   * May carry a path prefix: `https://host/prefix`. Unless it is this machine, it is reached through
   * the proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name.
   */
  readonly baseUrl: string | URL;
  /** An organization's or a connector's API key. Never appears in an error or in the trace. */
  readonly apiKey?: string | undefined;
  /** The header that carries the key: `Authorization` (default) as `Bearer KEY`, any other bare. */
  readonly authHeader?: string | undefined;
  /** Milliseconds that one attempt may take, from look-up to the last byte. Default 10,000. */
  readonly timeout?: number | undefined;
  /** How often a failed attempt is repeated where that is safe. Default 2. */
  readonly retries?: number | undefined;
  /**
   * Receives the wire trace line by line, secrets replaced. What the service sent in it is not
   * escaped for a terminal.
   */
  readonly trace?: ((line: string) => void) | undefined;
}

/** What each call takes beside its own arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What a list takes. */
export interface ListOptions extends CallOptions {
  /**
   * How many connectors to ask for at a time, as `?limit=`: an extension that the reference service
   * understands, and that another may ignore or refuse. Without it no parameter is sent.
   */
  readonly pageSize?: number | undefined;
  /** Called with the head of each page, before its first connector. */
  readonly onResponse?:
    | ((response: {
        /** The service's clock, where it sent a `Date`. */
        readonly serverTime: Date | undefined;
      }) => void)
    | undefined;
}

/** An activation token (interface §4.1). */
export interface ActivationTokenReading {
  readonly token: string;
  readonly expiresAt: Date;
  /** The service's clock at the time of the response, where it sent a `Date`. */
  readonly serverTime: Date | undefined;
  readonly raw: JsonObject;
}

/** A connector as far as its service tells; `raw` is what it said. */
export interface ConnectorReading {
  /** Opaque; a numeric id is kept as the digits that were sent. */
  readonly id: string;
  readonly name: string | undefined;
  readonly organization: string | undefined;
  /** The service's own word; none is invented. */
  readonly status: string | undefined;
  readonly activatedAt: Date | undefined;
  /** Null: the service says that there was none yet. Undefined: it does not say. */
  readonly lastHeartbeatAt: Date | null | undefined;
  readonly raw: JsonObject;
}

/** The response to an activation; a service may answer nothing at all (interface §4.2). */
export interface ActivationReading {
  readonly connector: ConnectorReading | undefined;
  /** The connector's own credential and the field that held it, where the service made one. */
  readonly credential: {readonly field: string; readonly value: string} | undefined;
  /**
   * The whole body, credential included, whatever its fields are called: JSON, or its text where it
   * is not JSON. An empty object for an empty body.
   */
  readonly raw: Json;
}

/** The response to a heartbeat; a service may answer nothing at all (interface §4.5). */
export interface HeartbeatReading {
  readonly status: string | undefined;
  readonly lastHeartbeatAt: Date | null | undefined;
  /** When the service wants the next one, in seconds, where it says. */
  readonly nextHeartbeatSeconds: number | undefined;
  readonly raw: JsonObject;
}

/**
 * One method per operation. Each rejects with an `AppError` whose `kind` is the reason, and with
 * nothing else.
 */
export interface Client {
  /** Creates an activation token (interface §4.1). Sends no body unless an extension is used. */
  createToken(
    extensions?: {
      readonly ttlSeconds?: number | undefined;
      readonly description?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ActivationTokenReading>;

  /**
   * Activates a connector (interface §4.2). Sends an Idempotency-Key, drawn here unless given, so
   * that a retry after a lost response cannot make two connectors.
   */
  activateConnector(
    activation: {
      readonly token: string;
      readonly name: string;
      readonly idempotencyKey?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ActivationReading>;

  /** All connectors of the organization, page by page where the service pages (interface §4.3). */
  listConnectors(options?: ListOptions): AsyncIterable<ConnectorReading>;

  /** One connector (interface §4.4). */
  getConnector(id: string, options?: CallOptions): Promise<ConnectorReading>;

  /** Signals that a connector is alive (interface §4.5). Sends no body. */
  sendHeartbeat(id: string, options?: CallOptions): Promise<HeartbeatReading>;
}
