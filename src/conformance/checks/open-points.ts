import {firstValue, isObject} from '../../client/fields.js';
import {connectorNames, memberNames} from '../../client/names/connectors.js';
import {isSendable} from '../../client/settings.js';
import type {Json} from '../../domain/json.js';
import {onlineIntervals, staleIntervals} from '../../domain/liveness.js';
import {counted} from '../../domain/words.js';
import {credentialLack, type Exchange} from '../exchange.js';
import {readDetails} from '../listing.js';
import type {Table} from '../model.js';
import {type CheckOutcome, type Need, note, skip} from '../outcome.js';
import type {Session} from '../session.js';
import {firstToken} from './create-token.js';

/** A point that the interface leaves open, and how the reference service and the client handle it. */
interface OpenPoint {
  /** The subject that the interface leaves open. */
  readonly open: string;
  /** The decision of the reference service. */
  readonly decision: string;
  /** The variants that the client accepts. */
  readonly client?: string;
  readonly needs?: readonly Need[];
  /** How the examined service handles it; undefined where responses do not show that. */
  readonly observe?: (session: Session) => Promise<CheckOutcome>;
}

/** The names of up to 20 fields in a response; unlike their values, they are not secret. */
function fieldNames(exchange: Exchange): string {
  const body = exchange.json;
  return isObject(body) ? Object.keys(body).slice(0, 20).join(', ') : 'no object';
}

/** The first field with one of these names. */
const fieldAmong = (body: Json | undefined, names: readonly string[]) =>
  isObject(body) ? firstValue(body, names, (value, name) => ({name, value})) : undefined;

const noteFields = (exchange: Exchange) =>
  note(`${exchange.description}; fields: ${fieldNames(exchange)}`, exchange);

/** The table of docs/open-points.md is generated from this one. Texts are Markdown. */
export const openPoints: Table<OpenPoint> = {
  '2/id-format': {
    open: "format of a connector's id",
    decision: '`con_` and a ULID, which sorts by age and cannot be guessed from a name',
    client: 'any id: opaque, percent-encoded into the path, numbers kept digit by digit',
  },
  '2/further-fields': {
    open: 'further fields of a connector',
    decision:
      '`organization`, `status`, `activated_at`, `last_heartbeat_at` (null before the first), `identity_shared_at` (when two processes last sent heartbeats in turn, else null), `starts_last_hour` (processes that began within an hour, at most eight)',
    client: 'other names for the same; unknown fields are kept in `--json`',
    async observe(session) {
      const exchange = await session.readOne();
      return note(`fields: ${fieldNames(exchange)}`, exchange);
    },
  },
  '3/connector-states': {
    open: 'states of a connector',
    decision: `\`never\`, \`online\` (age up to ${onlineIntervals} intervals), \`stale\` (up to ${staleIntervals}), \`offline\`, derived at each read; \`revoked\` once an operator has revoked the connector's key`,
    client: 'any status, shown as sent',
    async observe(session) {
      const exchange = await session.readOne();
      const field = fieldAmong(readDetails(exchange).raw, connectorNames.status);
      const shown = field === undefined ? 'no field' : `\`${field.name}\``;
      return note(`${shown} shows a state`, exchange);
    },
  },
  '3/clock-set-back': {
    open: 'a clock that was set back',
    decision:
      'the last heartbeat never goes backwards; one in the future counts as just received; an expired token or API key is valid again until the clock catches up',
  },
  '3/token-states': {
    open: 'states of a token',
    decision: 'unused, used, expired; a used one stays "used", also when its connector is removed',
  },
  '4.1/status-and-body': {
    open: 'success status, body, parameters',
    decision: '201; optional body `{ttl_seconds?, description?}`',
    client: 'any 2xx; sends a body only for an extension, and warns when it had no effect',
    needs: ['writes'],
    observe: async (session) => noteFields(await session.firstCreation()),
  },
  '4.1/lifetime': {
    open: 'lifetime of a token',
    decision: '15 min (`--token-ttl`), 1 min to 24 h',
    client: 'any `expires_at`',
    needs: ['writes'],
    async observe(session) {
      const {lifetime, exchange} = await firstToken(session);
      if (Number.isNaN(lifetime)) return skip('the lifetime is not known', exchange);
      return note(lifetime < 0 ? 'it has expired at its creation' : `${lifetime} s`, exchange);
    },
  },
  '4.2/response': {
    open: 'success status and response',
    decision: '201, the connector and its own `api_key`, once',
    client:
      'any 2xx, also an empty body or text; keeps the whole response; finds a credential under any usual name; truncated JSON is a lost response',
    needs: ['writes'],
    observe: async (session) => noteFields((await session.connector()).exchange),
  },
  '4.2/required-fields': {
    open: 'whether both fields are required',
    decision: 'yes',
    client: 'sends both',
  },
  '4.2/name-limits': {
    open: 'limits of the name',
    decision:
      '1 to 128 characters after trimming, no control characters, at least one visible; may repeat',
    client: 'any limits: it sends the name as typed',
  },
  '4.2/retries': {
    open: 'retries',
    decision:
      "`Idempotency-Key`: same key, token and name return the same response, with the secret (derived, not stored), until the key ends, or an hour after the token's expiry; then a refusal",
    client:
      'sends the header, and retries with the same one, also in a later run with the same file',
  },
  '4.2/losers-of-a-race': {
    open: 'simultaneous use of a token',
    decision: 'one succeeds, all others get 409',
  },
  '4.3/shape': {
    open: 'shape, pages, filters, order',
    decision:
      'a bare array of all, streamed, oldest first; optional pages with `?limit=&cursor=` and `Link`',
    client:
      'arrays, envelopes (also HAL, JSON:API and edges of nodes), `Link`, cursors, page numbers, offsets; exits 8 when any of them, or a total, shows that connectors are missing; filters and sorts locally',
    async observe(session) {
      const {exchange, pages} = await session.listing();
      const isArray = /^\s*\[/.test(`${exchange.response?.body.subarray(0, 1024)}`);
      const isKnown = isObject(exchange.json);
      const shape = isKnown ? `an object with ${fieldNames(exchange)}` : exchange.description;
      return note(`${isArray ? 'an array' : shape}, on ${counted(pages, 'page')}`, exchange);
    },
  },
  '4.4/status-of-unknown-id': {
    open: 'unknown id',
    decision: '404, also for a connector of another organization, whose ids stay unknown',
    client: 'exit code 4',
  },
  '4.5/request-body': {
    open: 'request body',
    decision:
      'none; a body is ignored; the header `connectorctl-process` with a random id tells a copied machine from a restart',
    client: 'sends none',
    needs: ['writes'],
    async observe(session) {
      const exchange = await session.heartbeat();
      if (!exchange.isSuccess) return skip('no heartbeat was accepted', exchange);
      const isNeeded = exchange.call.body !== undefined;
      const found = isNeeded ? 'refused without a body, accepted with {}' : 'none is needed';
      return note(found, exchange);
    },
  },
  '4.5/response': {
    open: 'response',
    decision: '200 `{id, status, last_heartbeat_at, next_heartbeat_seconds}`',
    client: 'any 2xx, also an empty body; then uses its own interval',
    needs: ['writes'],
    observe: async (session) => noteFields(await session.heartbeat()),
  },
  '4.5/interval': {
    open: 'interval',
    decision: '60 s (`--heartbeat-interval`)',
    client:
      "`--every`, else the service's (up to 1 h; from 10,000 on an interval without a unit in its name is in milliseconds), else 60 s; ±10 %",
    needs: ['writes'],
    async observe(session) {
      const exchange = await session.heartbeat();
      const names = [...memberNames.seconds, ...memberNames.interval];
      const field = fieldAmong(exchange.json, names);
      if (field === undefined) return note('the response names no interval', exchange);
      return note(`\`${field.name}\` is ${JSON.stringify(field.value)}`, exchange);
    },
  },
  '5/scheme': {
    open: 'authentication',
    decision:
      '`Authorization: Bearer KEY`, or `X-API-Key`; keys `ck_…` (organization; some may only read: else 403 `key_read_only`; headers of each response say so, and when the key expires) and `cck_…` (connector)',
    client: 'any header (`--auth-header`)',
    async observe(session) {
      const exchange = await session.withoutKey();
      const challenge = exchange.response?.headers['www-authenticate'];
      const shown = challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`;
      return note(`without a key: ${exchange.description}${shown}`, exchange);
    },
  },
  '5/organization': {
    open: 'organization',
    decision: 'that of the key',
  },
  '5/connector-key': {
    open: "a connector's key",
    decision:
      "reads its own connector and sends its heartbeats; 401 for any other, 403 for the organization's operations",
    needs: ['writes'],
    async observe(session) {
      const {credential, exchange} = await session.activated();
      if (!isSendable(credential)) return note(credentialLack(exchange, credential), exchange);
      const list = await session.call('list', {key: {text: credential}});
      const can = list.isSuccess ? 'can' : 'cannot';
      return note(`a connector's credential ${can} list the organization`, list);
    },
  },
  '6/events': {open: 'events', decision: 'none; an audit record in the log'},
  '7/format': {
    open: 'error format and codes',
    decision: '`application/problem+json` (RFC 9457), stable `code`, `request_id`',
    client: 'seven shapes of errors, HTML and empty bodies; an error in a 2xx response is an error',
    async observe(session) {
      const exchange = await session.invalidJson();
      const fields = isObject(exchange.json) ? `; fields: ${fieldNames(exchange)}` : '';
      return note(`invalid JSON: ${exchange.description}${fields}`, exchange);
    },
  },
  '7/bad-token': {
    open: 'a bad token',
    decision: 'malformed 400, unknown 401, used 409, expired 410: each needs another next step',
    client: 'exit code 5 for used and expired, with different messages',
  },
  '8/rate-limits': {
    open: 'rate limits',
    decision:
      '10 malformed or unknown tokens per minute and address, then 429 with `Retry-After`, except for valid tokens; per organization 100,000 unused tokens, then 429, and 200,000 connectors, then 507',
    client: 'honors `Retry-After`',
    async observe({exchanges}) {
      const limited = exchanges.filter((one) => one.isRateLimited);
      const [first] = limited;
      if (first === undefined) return note('this run met none');
      const {'retry-after': after} = first.response?.headers ?? {};
      const hint = after === undefined ? 'no Retry-After' : `Retry-After: ${after}`;
      return note(`${counted(limited.length, 'request')} refused with 429, ${hint}`, first);
    },
  },
  '8/sizes': {
    open: 'sizes',
    decision: 'body and headers 16 KiB',
  },
  '8/connections': {
    open: 'connections',
    decision:
      '100,000 at once, or fewer if the limit of open files is lower; time limits for headers, request and silence',
    client: 'keeps connections between heartbeats',
  },
  '9/versions': {open: 'versions', decision: 'none'},
};

/** A check for each open point that responses show. */
export const openChecks: Table = Object.fromEntries(
  Object.entries(openPoints).flatMap(([id, {open, decision, needs = [], observe}]) => {
    if (observe === undefined) return [];
    const described = {title: `Open: ${open}`, reference: decision, needs};
    return [[id, {...described, level: 'open', run: observe} as const]];
  }),
);
