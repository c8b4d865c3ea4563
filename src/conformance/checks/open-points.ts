import {onlineIntervals, staleIntervals} from '../domain/liveness.js';
import type {Check} from './model.js';

/** A point that the interface leaves open, and how the reference service and the client handle it. */
export interface OpenPoint {
  readonly id: Check['id'];
  /** The open point. */
  readonly open: string;
  /** The decision of the reference service. */
  readonly decision: string;
  readonly reason?: string;
  /** The variants that the client accepts. */
  readonly client?: string;
}

/** The table of docs/open-points.md is generated from this one. Texts are Markdown. */
export const openPoints: readonly OpenPoint[] = [
  {
    id: '2/id-format',
    open: "format of a connector's id",
    decision: '`con_` and a ULID',
    reason: 'sorts by age, so pages and indexes are cheap; cannot be guessed from a name',
    client: 'any id: opaque, percent-encoded into the path, numbers kept digit by digit',
  },
  {
    id: '2/further-fields',
    open: 'further fields of a connector',
    decision:
      '`organization`, `status`, `activated_at`, `last_heartbeat_at` (null before the first), `identity_shared_at` (when two processes last sent heartbeats in turn, else null), `starts_last_hour` (processes that began within an hour, at most eight)',
    reason: 'what operators ask first',
    client: 'other names for the same; unknown fields are kept in `--json`',
  },
  {
    id: '3/connector-states',
    open: 'states of a connector',
    decision: `\`never\`, \`online\` (age up to ${onlineIntervals} intervals), \`stale\` (up to ${staleIntervals}), \`offline\`, derived at each read; \`revoked\` once an operator has revoked the connector's key`,
    reason:
      'a stored status is wrong as soon as it is not updated; a late heartbeat takes effect at once',
    client: 'any status, shown as sent',
  },
  {
    id: '3/clock-set-back',
    open: 'a clock that was set back',
    decision:
      'the last heartbeat never goes backwards; one in the future counts as just received; an expired token or API key is valid again until the clock catches up',
    reason: 'better than reporting live connectors as offline',
  },
  {
    id: '3/token-states',
    open: 'states of a token',
    decision: 'unused, used, expired; a used one stays "used", also when its connector is removed',
    reason: '"used" is the more useful information',
  },
  {
    id: '4.1/status-and-body',
    open: 'success status, body, parameters',
    decision: '201; optional body `{ttl_seconds?, description?}`',
    reason: 'a resource is created; a call without a body works',
    client: 'any 2xx; sends a body only for an extension, and warns when it had no effect',
  },
  {
    id: '4.1/lifetime',
    open: 'lifetime of a token',
    decision: '15 min (`--token-ttl`), 1 min to 24 h',
    reason: 'enough time to walk to a machine; worthless when found in a log later',
    client: 'any `expires_at`',
  },
  {
    id: '4.2/response',
    open: 'success status and response',
    decision: '201, the connector and its own `api_key`, once',
    reason: 'heartbeats do not need an organization-wide key',
    client:
      'any 2xx, also an empty body or text; keeps the whole response; finds a credential under any usual name; truncated JSON is a lost response',
  },
  {
    id: '4.2/required-fields',
    open: 'whether both fields are required',
    decision: 'yes',
    reason: 'a connector without a name is hard to recognize',
    client: 'sends both',
  },
  {
    id: '4.2/name-limits',
    open: 'limits of the name',
    decision:
      '1 to 128 characters after trimming, no control characters, at least one visible; may repeat',
    reason: 'names are for people, ids for machines',
    client: 'any limits: it sends the name as typed',
  },
  {
    id: '4.2/retries',
    open: 'retries',
    decision:
      "`Idempotency-Key`: same key, token and name return the same response, with the secret (derived, not stored), until the key ends, or an hour after the token's expiry; then a refusal",
    reason: 'a lost response must neither waste a token nor create two connectors',
    client: 'sends the header, and retries with the same one',
  },
  {
    id: '4.2/losers-of-a-race',
    open: 'simultaneous use of a token',
    decision: 'one succeeds, all others get 409',
    reason: 'single use',
  },
  {
    id: '4.3/shape',
    open: 'shape, pages, filters, order',
    decision:
      'a bare array of all, streamed, oldest first; optional pages with `?limit=&cursor=` and `Link`',
    reason: 'the interface: "returns a list of all connectors"',
    client:
      'arrays, envelopes (also HAL, JSON:API and edges of nodes), `Link`, cursors, page numbers, offsets; exits 8 when any of them, or a total, shows that connectors are missing; filters and sorts locally',
  },
  {
    id: '4.4/status-of-unknown-id',
    open: 'unknown id',
    decision: '404, also for a connector of another organization',
    reason: 'does not reveal ids of others',
    client: 'exit code 4',
  },
  {
    id: '4.5/request-body',
    open: 'request body',
    decision:
      'none; a body is ignored; the header `connectorctl-process` with a random id tells a copied machine from a restart',
    reason: 'the interface shows none',
    client: 'sends none',
  },
  {
    id: '4.5/response',
    open: 'response',
    decision: '200 `{id, status, last_heartbeat_at, next_heartbeat_seconds}`',
    reason: 'the service sets the pace of its connectors',
    client: 'any 2xx, also an empty body; then uses its own interval',
  },
  {
    id: '4.5/interval',
    open: 'interval',
    decision: '60 s (`--heartbeat-interval`)',
    client:
      "`--every`, else the service's (up to 1 h; from 10,000 on an interval without a unit in its name is in milliseconds), else 60 s; ±10 %",
  },
  {
    id: '5/scheme',
    open: 'authentication',
    decision:
      '`Authorization: Bearer KEY`, or `X-API-Key`; keys `ck_…` (organization; some may only read: else 403 `key_read_only`; headers of each response say so, and when the key expires) and `cck_…` (connector)',
    reason: 'prefix and checksum detect a mistyped key offline and let scanners find a leaked one',
    client: 'any header (`--auth-header`)',
  },
  {
    id: '5/organization',
    open: 'organization',
    decision: 'that of the key',
    reason: 'no parameter to forge',
  },
  {
    id: '5/connector-key',
    open: "a connector's key",
    decision:
      "reads its own connector and sends its heartbeats; 401 for any other, 403 for the organization's operations",
    reason: 'a stolen machine key gives access to one connector',
  },
  {
    id: '6/events',
    open: 'events',
    decision: 'none; an audit record in the log',
    reason: 'outside this interface',
  },
  {
    id: '7/format',
    open: 'error format and codes',
    decision: '`application/problem+json` (RFC 9457), stable `code`, `request_id`',
    reason: 'a standard that tools support',
    client: 'seven shapes of errors, HTML and empty bodies; an error in a 2xx response is an error',
  },
  {
    id: '7/bad-token',
    open: 'a bad token',
    decision: 'malformed 400, unknown 401, used 409, expired 410',
    reason: 'each needs a different next step',
    client: 'exit code 5 for used and expired, with different messages',
  },
  {
    id: '8/rate-limits',
    open: 'rate limits',
    decision:
      '10 malformed or unknown tokens per minute and address, then 429 with `Retry-After`, except for valid tokens; per organization 100,000 unused tokens, then 429, and 200,000 connectors, then 507',
    reason: 'limits guesses, not activations; no organization fills the service for others',
    client: 'honors `Retry-After`',
  },
  {
    id: '8/sizes',
    open: 'sizes',
    decision: 'body and headers 16 KiB',
    reason: 'a token and a name need less than 1 KiB',
  },
  {
    id: '8/connections',
    open: 'connections',
    decision:
      '100,000 at once, or fewer if the limit of open files is lower; time limits for headers, request and silence',
    reason: 'slow or idle clients do not affect the heartbeats of others',
    client: 'keeps connections between heartbeats',
  },
  {
    id: '9/versions',
    open: 'versions',
    decision: 'none',
    reason: 'the paths carry none',
  },
];
