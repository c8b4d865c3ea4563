import * as z from 'zod/mini';
import {connectorStatuses, limits} from './limits.js';

/**
 * The resources, requests and responses of the interface, with its field names. Comments mark what the
 * interface does not show and the reference service decides.
 */

/** A point in time: ISO 8601, UTC, trailing `Z` (interface §2). */
const Timestamp = z.iso.datetime();

/** `con_` and a ULID; clients must treat it as opaque (interface §2: format not shown). */
const ConnectorId = z.string();

/** Looks ahead for a visible character: neither white space nor a character that fonts draw as blank. */
const visible =
  '(?=[\\s\\S]*?[^\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cs}\\u2800\\uFFF9-\\uFFFB])';

/** Maximum white space on each side of a text: V8 keeps it in memory for as long as the trimmed text. */
const padding = '\\s{0,16}';

/**
 * A visible text of one line. The pattern applies to the text before trimming, so that the OpenAPI
 * document has the whole rule. With the `u` flag the bound counts code points; Cc are control
 * characters, Cs lone surrogates.
 */
const text = (maximum: number) =>
  z.string().check(
    z.regex(
      new RegExp(`^${visible}${padding}(?=\\S)[^\\p{Cc}\\p{Cs}]{1,${maximum}}${padding}$`, 'u'),
      {
        error: `must be 1 to ${maximum} characters, at least one of them visible and none a control character`,
      },
    ),
    z.trim(),
  );

/** A connector's name, trimmed. Names may repeat; ids never do. */
export const ConnectorName = text(limits.nameLength);

/** The purpose of a token or a key, in its creator's words. */
export const Description = text(limits.descriptionLength);

/** Derived from the age of the last heartbeat and the revocation of the key; see `domain/liveness.ts`. */
export const ConnectorStatus = z.enum(connectorStatuses);
export type ConnectorStatus = z.infer<typeof ConnectorStatus>;

/** An activation token in the response to its creation (interface §2, §4.1). */
export const ActivationToken = z.object({token: z.string(), expires_at: Timestamp});
export type ActivationToken = z.infer<typeof ActivationToken>;

/** A connector (interface §2: `id` and `name`; the other fields are the reference service's). */
export const Connector = z.object({
  id: ConnectorId,
  name: z.string(),
  organization: z.string(),
  status: ConnectorStatus,
  activated_at: Timestamp,
  last_heartbeat_at: z.nullable(Timestamp),
  /** Time at which two processes last sent heartbeats in turn, a few intervals ago at most; see `domain/senders.ts`. */
  identity_shared_at: z.nullable(Timestamp),
  /** Number of processes, up to eight, that began to send heartbeats within the last hour; see `domain/senders.ts`. */
  starts_last_hour: z.int(),
});
export type Connector = z.infer<typeof Connector>;

/** An activated connector with its own API key, which only responses to activations hold (interface §4.2: not shown). */
export const ActivatedConnector = z.extend(Connector, {api_key: z.string()});
export type ActivatedConnector = z.infer<typeof ActivatedConnector>;

/** All connectors of the caller's organization, or one page of them (interface §4.3: not shown). */
export const ConnectorList = z.array(Connector);

/** The response to a heartbeat (interface §4.5: not shown). */
export const Heartbeat = z.object({
  id: ConnectorId,
  status: ConnectorStatus,
  last_heartbeat_at: Timestamp,
  /** Seconds until the next heartbeat is due. */
  next_heartbeat_seconds: z.number(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** The error for a missing body, or one that is not an object. */
const jsonObject = {error: 'must be a JSON object'};

const tokenTtl = {
  error: `must be a whole number of seconds from ${limits.tokenTtl.min} to ${limits.tokenTtl.max}`,
};

/** Optional body of create-token, an extension: the interface describes none (interface §4.1). */
export const CreateTokenBody = z.object(
  {
    ttl_seconds: z.optional(
      z
        .int(tokenTtl)
        .check(z.minimum(limits.tokenTtl.min, tokenTtl), z.maximum(limits.tokenTtl.max, tokenTtl)),
    ),
    description: z.optional(Description),
  },
  jsonObject,
);
export type CreateTokenBody = z.infer<typeof CreateTokenBody>;

/** Body of activate (interface §4.2). */
export const ActivateBody = z.object(
  {token: z.string().check(z.trim()), name: ConnectorName},
  jsonObject,
);
export type ActivateBody = z.infer<typeof ActivateBody>;

/** Path parameter of get and heartbeat (interface §4.4, §4.5). */
export const ConnectorParams = z.object({id: ConnectorId});

const pageLimit = {
  error: `must be a whole number from ${limits.page.min} to ${limits.page.max}, given once`,
  abort: true,
};

const pageCursor = {error: 'must be a cursor of this service, given once'};

/** Optional query of list, an extension: the interface describes no parameters (interface §4.3). */
export const ListQuery = z.object({
  limit: z.optional(
    z.pipe(
      // Accepts only the JSON form of integers: `Number` would also read `0x10`, `1e2`, `+5` and blanks.
      z.string(pageLimit).check(z.regex(/^[1-9]\d*$/, pageLimit)),
      z.pipe(
        z.transform(Number),
        z
          .int(pageLimit)
          .check(z.minimum(limits.page.min, pageLimit), z.maximum(limits.page.max, pageLimit)),
      ),
    ),
  ),
  cursor: z.optional(z.string(pageCursor).check(z.minLength(1))),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** An error response (RFC 9457), with two extension members: a stable `code` and the `request_id`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  code: z.string(),
  request_id: z.string(),
  /** One entry for each invalid field, `path` as a JSON Pointer (RFC 6901). */
  errors: z.optional(z.array(z.object({path: z.string(), message: z.string()}))),
});
export type Problem = z.infer<typeof Problem>;

/** The response of `/healthz`. */
export const Health = z.object({status: z.string()});

/** The response of `/readyz`. */
export const Readiness = z.extend(Health, {
  /** Version of the format in which the store keeps its records. */
  store_version: z.int(),
});
