import {isObject, names} from '../../client/fields.js';
import type {Json} from '../../domain/json.js';
import {describe, isSuccess, jsonOf} from '../exchange.js';
import {readDetails} from '../listing.js';
import type {Check} from '../model.js';
import {type OpenPoint, openPoints} from '../open-points.js';
import {type CheckOutcome, counted, note, skip} from '../outcome.js';
import {readCreated, type Session} from '../session.js';

type Observe = (session: Session) => Promise<CheckOutcome>;

/** Names of the fields of a JSON object, which are not secret. */
function fieldNames(value: Json | undefined): string {
  return isObject(value) ? Object.keys(value).slice(0, 20).join(', ') : 'no object';
}

const needsWrites: ReadonlySet<string> = new Set([
  '4.1/status-and-body',
  '4.1/lifetime',
  '4.2/response',
  '4.2/required-fields',
  '4.2/losers-of-a-race',
  '4.5/request-body',
  '4.5/response',
  '4.5/interval',
  '5/connector-key',
  '7/bad-token',
]);

/** Observations of open points. The other points cannot be seen in responses. */
const observations: Readonly<Record<string, Observe>> = {
  async '2/id-format'(session) {
    const {id} = await session.readableConnector();
    const kind = /^\d+$/.test(id) ? 'digits' : /^[0-9a-f-]{36}$/i.test(id) ? 'a UUID' : 'a text';
    return note(`the id is ${kind} of ${id.length} characters`);
  },
  async '2/further-fields'(session) {
    const exchange = await session.readOne();
    return note(`fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  },
  async '3/connector-states'(session) {
    const exchange = await session.readOne();
    const {raw} = readDetails(exchange);
    const field = isObject(raw) ? names.status.find((name) => Object.hasOwn(raw, name)) : undefined;
    return note(
      field === undefined ? 'no field shows a state' : `\`${field}\` shows a state`,
      exchange,
    );
  },
  async '4.1/status-and-body'(session) {
    const exchange = await session.firstCreation();
    return note(`${describe(exchange)}; fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  },
  async '4.1/lifetime'(session) {
    const {expiresAt, exchange} = readCreated(await session.firstCreation());
    const from = Date.parse(exchange.response?.headers['date'] ?? '');
    if (expiresAt === undefined || Number.isNaN(from))
      return skip('the lifetime is not known', exchange);
    const seconds = Math.round((expiresAt.getTime() - from) / 1000);
    return note(seconds < 0 ? 'it has ended at creation' : `${seconds} s`, exchange);
  },
  async '4.2/response'(session) {
    const {exchange} = await session.connector();
    return note(`${describe(exchange)}; fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  },
  async '4.2/required-fields'(session) {
    const exchange = await session.withoutToken();
    return note(`without a token: ${describe(exchange)}`, exchange);
  },
  async '4.2/losers-of-a-race'(session) {
    const {token, name} = await session.activated();
    const exchange = await session.activate(token, `${name}-again`);
    return note(`a used token: ${describe(exchange)}`, exchange);
  },
  async '4.3/shape'(session) {
    const {exchange, pages} = await session.listing();
    const body = jsonOf(exchange);
    const isLongArray = exchange.response?.isCut && /^\s*\[/.test(`${exchange.response.body}`);
    const shape = isObject(body) ? `an object with ${fieldNames(body)}` : describe(exchange);
    const shown = Array.isArray(body) || isLongArray ? 'an array' : shape;
    return note(`${shown}, on ${counted(pages, 'page')}`, exchange);
  },
  async '4.4/status-of-unknown-id'(session) {
    const exchange = await session.unknownId();
    return note(describe(exchange), exchange);
  },
  async '4.5/request-body'(session) {
    const exchange = await session.heartbeat();
    if (!isSuccess(exchange)) return skip('no heartbeat was accepted', exchange);
    const isNeeded = exchange.call.body !== undefined;
    return note(isNeeded ? 'refused without a body, accepted with {}' : 'none is needed', exchange);
  },
  async '4.5/response'(session) {
    const exchange = await session.heartbeat();
    return note(`${describe(exchange)}; fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  },
  async '4.5/interval'(session) {
    const exchange = await session.heartbeat();
    const body = jsonOf(exchange);
    const known = [...names.heartbeatSeconds, ...names.heartbeatInterval];
    const field = isObject(body) ? known.find((name) => Object.hasOwn(body, name)) : undefined;
    return note(
      field === undefined
        ? 'the response names no interval'
        : `\`${field}\` is ${JSON.stringify(isObject(body) ? body[field] : null)}`,
      exchange,
    );
  },
  async '5/scheme'(session) {
    const exchange = await session.withoutKey();
    const challenge = exchange.response?.headers['www-authenticate'];
    return note(
      `without a key: ${describe(exchange)}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
      exchange,
    );
  },
  async '5/connector-key'(session) {
    const {credential, exchange} = await session.activated();
    if (credential === undefined) return note('an activation returns no credential', exchange);
    const list = await session.call('list', {key: {text: credential}});
    return note(
      `a connector's credential ${isSuccess(list) ? 'can' : 'cannot'} list the organization`,
      list,
    );
  },
  async '7/format'(session) {
    const exchange = await session.invalidJson();
    const body = jsonOf(exchange);
    const fields = isObject(body) ? `; fields: ${fieldNames(body)}` : '';
    return note(`invalid JSON: ${describe(exchange)}${fields}`, exchange);
  },
  async '7/bad-token'(session) {
    const exchange = await session.unknownToken();
    return note(`an invented token: ${describe(exchange)}`, exchange);
  },
  async '8/rate-limits'(session) {
    const [first] = session.pauses;
    if (first === undefined) return note('this run met none');
    const after = first.response?.headers['retry-after'];
    const hint = after === undefined ? 'no Retry-After' : `Retry-After: ${after}`;
    return note(`${counted(session.pauses.length, 'request')} refused with 429, ${hint}`, first);
  },
  async '8/sizes'(session) {
    const exchange = await session.largeBody();
    return note(`a body of 1 MiB: ${describe(exchange)}`, exchange);
  },
};

const unseen: Observe = async () => note('responses do not show it: decide it, and document it');

function toCheck({id, section, open, decision}: OpenPoint): Check {
  return {
    id,
    level: 'open',
    title: `Open: ${open}`,
    source: `interface ${section}`,
    reference: decision,
    ...(needsWrites.has(id) && {needs: ['writes'] as const}),
    run: observations[id] ?? unseen,
  };
}

/** The builder's decision list: a check for each point that the interface leaves open. */
export const openChecks: readonly Check[] = openPoints.map(toCheck);
