import type {KeyAccess} from '../contract/limits.js';
import type {Json, JsonObject} from '../domain/json.js';
import type {AppError} from '../errors.js';

/** Options of a client. Only `baseUrl` is required. */
export interface ClientOptions {
  /**
   * May have a path prefix: `https://host/prefix`. Requests to other machines use the proxy of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.
   */
  readonly baseUrl: string | URL;
  /** An organization's or a connector's API key. It never appears in an error or in the trace. */
  readonly apiKey?: string | undefined;
  /** The header of the key: `Authorization` (default) with `Bearer KEY`, any other with the bare key. */
  readonly authHeader?: string | undefined;
  /** The time limit of one attempt in milliseconds, which starts again with each MiB received. Default 10,000. */
  readonly timeout?: number | undefined;
  /** The maximum number of retries of a failed attempt, where a retry is safe. Default 2. */
  readonly retries?: number | undefined;
  /**
   * Receives the wire trace line by line, with secrets replaced. It does not escape the service's text
   * for a terminal.
   */
  readonly trace?: ((line: string) => void) | undefined;
  /** Called for each response but a followed redirect, with the facts about the service that it shows. */
  readonly onResponse?: ((facts: ServiceFacts) => void) | undefined;
}

/** A service as one of its responses shows it. */
export interface ServiceFacts {
  /** Whether the service is a sandbox: its clock is virtual, and its data is not real. */
  readonly hasVirtualClock: boolean;
  /** Milliseconds that the service's clock is ahead of this machine's; undefined without a `Date`. */
  readonly clockAhead: number | undefined;
  /** Undefined when the key was not sent, because another origin responded. */
  readonly key: KeyReading | undefined;
  readonly connection: ConnectionReading | undefined;
}

/** The API key of a request as the service describes it. */
export interface KeyReading {
  /** Undefined for a connector's own key, or if the service does not send it. */
  readonly access: KeyAccess | undefined;
  /** Undefined if the key does not expire or the service does not say so. */
  readonly expiresAt: Date | undefined;
  /** Undefined if the service does not send it. */
  readonly createdAt: Date | undefined;
}

/** The connection that a response came from. */
export interface ConnectionReading {
  /** IP address and port of the other end, which may be a proxy. */
  readonly address: string;
  /** The address of the proxy, without user name and password. */
  readonly proxy: string | undefined;
  /** Expiry of the service's certificate; undefined without TLS. */
  readonly certificateEnd: Date | undefined;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of `sendHeartbeat`. */
export interface HeartbeatOptions extends CallOptions {
  /** A random id of the process, by which the service notices two processes with one identity. */
  readonly process?: string | undefined;
}

/** Options of `listConnectors`. */
export interface ListOptions extends CallOptions {
  /**
   * Number of connectors to request per page, as `?limit=`: an extension of the reference service, which others may
   * ignore or reject. By default it is sent only if the whole list is too long for one response.
   */
  readonly pageSize?: number | undefined;
}

/** A list of connectors. Each reading requests all pages again, one after the other. */
export interface ConnectorList extends AsyncIterable<ConnectorReading> {
  /** Reads the `raw` of all connectors, or of the first `atMost`, without requesting further pages. */
  all(options?: {readonly atMost?: number | undefined}): Promise<readonly JsonObject[]>;
}

/** Options of `keepAlive`. */
export interface KeepAliveOptions extends CallOptions {
  /** Milliseconds between heartbeats. By default the service's interval: 60 s until the service names one. */
  readonly every?: number | undefined;
  /**
   * Called before each heartbeat. No heartbeat is sent while it returns false or fails. The signal aborts
   * with that of `keepAlive`; there is no other time limit.
   */
  readonly isHealthy?: ((signal: AbortSignal) => boolean | Promise<boolean>) | undefined;
  /**
   * Called when another process (a second start, or a copy of the credentials) begins to send heartbeats for the same
   * connector, and when it stops. Needs a service that reports the last heartbeat.
   */
  readonly onShared?: ((isShared: boolean) => void) | undefined;
  /** Called with the first outcome, and when heartbeats start to fail, are refused, or are accepted again. */
  readonly onChange?: ((change: KeepAliveChange) => void) | undefined;
}

/**
 * A heartbeat was accepted, failed, or was refused by the service or by a proxy in its place. The next one follows
 * after `nextIn` or `retryIn` milliseconds.
 */
export type KeepAliveChange =
  | {readonly isAlive: true; readonly reading: HeartbeatReading; readonly nextIn: number}
  | {
      readonly isAlive: false;
      readonly error: AppError;
      readonly isRefused: boolean;
      readonly retryIn: number;
    };

/** An activation token (interface §4.1). */
export interface ActivationTokenReading {
  readonly token: string;
  readonly expiresAt: Date;
  /** The service's clock at the time of the response; undefined without a `Date`. */
  readonly serverTime: Date | undefined;
  /** Whether an earlier attempt, whose response was lost, may have created another token. */
  readonly otherMayExist?: boolean;
  readonly raw: JsonObject;
}

/** A 200 without body or `Location`, which some proxies send for a host that they do not serve. */
export interface BlankResponse {
  /** The header `Server`. */
  readonly server: string | undefined;
}

/** A connector, with the fields that its service sends; `raw` is the unchanged object. */
export interface ConnectorReading {
  /** Opaque; a numeric id keeps its digits. */
  readonly id: string;
  readonly name: string | undefined;
  readonly organization: string | undefined;
  /** The status as the service sent it. */
  readonly status: string | undefined;
  readonly activatedAt: Date | undefined;
  /** Null before the first heartbeat; undefined if it is missing or cannot be read. */
  readonly lastHeartbeatAt: Date | null | undefined;
  /** Time at which two processes last alternated in sending its heartbeats; from the reference service only. */
  readonly identitySharedAt: Date | undefined;
  /** Number of processes, up to eight, that began to send its heartbeats within the last hour; from the reference service only. */
  readonly startsLastHour: number | undefined;
  readonly raw: JsonObject;
}

/** The response to an activation, which may be empty (interface §4.2). No `raw` in it is enumerable. */
export interface ActivationReading {
  readonly connector: ConnectorReading | undefined;
  /** The connector's own credential and the field that holds it, where the service sends one. */
  readonly credential: {readonly field: string; readonly value: string} | undefined;
  readonly blank?: BlankResponse | undefined;
  /**
   * The whole body, including the credential: JSON, or the text of any other body. An empty object for
   * an empty body.
   */
  readonly raw: Json;
}

/** The response to a heartbeat, which may be empty (interface §4.5). */
export interface HeartbeatReading {
  readonly status: string | undefined;
  readonly lastHeartbeatAt: Date | null | undefined;
  /** Seconds until the next heartbeat is due; undefined if the service does not send it. */
  readonly nextHeartbeatSeconds: number | undefined;
  readonly blank?: BlankResponse | undefined;
  /** The service's clock at the time of the response; undefined without a `Date`. */
  readonly serverTime: Date | undefined;
  readonly raw: JsonObject;
}

/**
 * One method per operation, and `keepAlive`. Each fails with an `AppError`, whose `reason` is a `ClientErrorReason`.
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
   * Activates a connector (interface §4.2). Sends an Idempotency-Key, random unless given: a service that supports it
   * repeats a lost response instead of creating a second connector. A response that cannot be read counts as lost.
   */
  activateConnector(
    activation: {
      readonly token: string;
      readonly name: string;
      readonly idempotencyKey?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ActivationReading>;

  /** All connectors of the organization, from all pages of the list (interface §4.3). */
  listConnectors(options?: ListOptions): ConnectorList;

  /** One connector (interface §4.4). */
  getConnector(id: string, options?: CallOptions): Promise<ConnectorReading>;

  /** Signals that a connector is alive (interface §4.5). Sends no body. */
  sendHeartbeat(id: string, options?: HeartbeatOptions): Promise<HeartbeatReading>;

  /**
   * Sends heartbeats until the signal aborts; then the promise resolves. Follows the service's interval and
   * `Retry-After`, both up to one hour, and continues after failures and refusals. Rejects for an invalid argument or
   * proxy variable, and when the service has reported for ten minutes that the key is revoked.
   */
  keepAlive(id: string, options?: KeepAliveOptions): Promise<void>;
}
