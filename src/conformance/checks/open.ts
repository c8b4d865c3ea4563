import {isObject} from '../../client/fields.js';
import {connectorNames, memberNames} from '../../client/names/connectors.js';
import {isSendable} from '../../client/settings.js';
import type {Json} from '../../domain/json.js';
import {counted} from '../../domain/words.js';
import {credentialLack, describe, type Exchange, isSuccess, jsonOf} from '../exchange.js';
import {readDetails} from '../listing.js';
import {type Check, sectionOf} from '../model.js';
import {type OpenPoint, openPoints} from '../open-points.js';
import {type CheckOutcome, note, skip} from '../outcome.js';
import {readCreated, type Session} from '../session.js';

type Observe = (session: Session) => Promise<CheckOutcome>;

/** The names of the fields of a JSON object; unlike their values, they are not secret. */
function fieldNames(value: Json | undefined): string {
  return isObject(value) ? Object.keys(value).slice(0, 20).join(', ') : 'no object';
}

/** Observes the status of a response. @param name of the request */
const status =
  (name: string, send: (session: Session) => Promise<Exchange>): Observe =>
  async (session) => {
    const exchange = await send(session);
    return note(`${name}${describe(exchange)}`, exchange);
  };

/** Observes status and fields of a response. */
const fields =
  (send: (session: Session) => Promise<Exchange>): Observe =>
  async (session) => {
    const exchange = await send(session);
    return note(`${describe(exchange)}; fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  };

/** Observations of open points that need no writes. Points in neither table cannot be observed in responses. */
const reading: Readonly<Record<string, Observe>> = {
  async '2/id-format'(session) {
    const {id} = await session.readableConnector();
    const kind = /^\d+$/.test(id)
      ? 'digits'
      : /^[0-9a-f-]{36}$/i.test(id)
        ? 'a UUID'
        : 'other text';
    return note(`the id has ${id.length} characters: ${kind}`);
  },
  async '2/further-fields'(session) {
    const exchange = await session.readOne();
    return note(`fields: ${fieldNames(jsonOf(exchange))}`, exchange);
  },
  async '3/connector-states'(session) {
    const exchange = await session.readOne();
    const {raw} = readDetails(exchange);
    const field = isObject(raw)
      ? connectorNames.status.find((name) => Object.hasOwn(raw, name))
      : undefined;
    return note(
      field === undefined ? 'no field shows a state' : `\`${field}\` shows a state`,
      exchange,
    );
  },
  async '4.3/shape'(session) {
    const {exchange, pages} = await session.listing();
    const body = jsonOf(exchange);
    const isLongArray = exchange.response?.isCut && /^\s*\[/.test(`${exchange.response.body}`);
    const shape = isObject(body) ? `an object with ${fieldNames(body)}` : describe(exchange);
    const shown = Array.isArray(body) || isLongArray ? 'an array' : shape;
    return note(`${shown}, on ${counted(pages, 'page')}`, exchange);
  },
  '4.4/status-of-unknown-id': status('', (session) => session.unknownId()),
  async '5/scheme'(session) {
    const exchange = await session.withoutKey();
    const challenge = exchange.response?.headers['www-authenticate'];
    return note(
      `without a key: ${describe(exchange)}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
      exchange,
    );
  },
  async '7/format'(session) {
    const exchange = await session.invalidJson();
    const body = jsonOf(exchange);
    const fields = isObject(body) ? `; fields: ${fieldNames(body)}` : '';
    return note(`invalid JSON: ${describe(exchange)}${fields}`, exchange);
  },
  async '8/rate-limits'(session) {
    const [first] = session.pauses;
    if (first === undefined) return note('this run met none');
    const after = first.response?.headers['retry-after'];
    const hint = after === undefined ? 'no Retry-After' : `Retry-After: ${after}`;
    return note(`${counted(session.pauses.length, 'request')} refused with 429, ${hint}`, first);
  },
  '8/sizes': status('a body of 1 MiB: ', (session) => session.largeBody()),
};

/** Observations of open points that need a connector or a token of this run. */
const writing: Readonly<Record<string, Observe>> = {
  '4.1/status-and-body': fields((session) => session.firstCreation()),
  async '4.1/lifetime'(session) {
    const {expiresAt, exchange} = readCreated(await session.firstCreation());
    const {serverTime} = exchange.response ?? {};
    if (!expiresAt || !serverTime) return skip('the lifetime is not known', exchange);
    const seconds = Math.round((expiresAt.getTime() - serverTime.getTime()) / 1000);
    return note(seconds < 0 ? 'it has ended at creation' : `${seconds} s`, exchange);
  },
  '4.2/response': fields(async (session) => (await session.connector()).exchange),
  '4.2/required-fields': status('without a token: ', (session) => session.withoutToken()),
  async '4.2/losers-of-a-race'(session) {
    const {token, name} = await session.activated();
    const exchange = await session.activate(token, `${name}-again`);
    return note(`a used token: ${describe(exchange)}`, exchange);
  },
  async '4.5/request-body'(session) {
    const exchange = await session.heartbeat();
    if (!isSuccess(exchange)) return skip('no heartbeat was accepted', exchange);
    const isNeeded = exchange.call.body !== undefined;
    return note(isNeeded ? 'refused without a body, accepted with {}' : 'none is needed', exchange);
  },
  '4.5/response': fields((session) => session.heartbeat()),
  async '4.5/interval'(session) {
    const exchange = await session.heartbeat();
    const body = jsonOf(exchange);
    const known = [...memberNames.seconds, ...memberNames.interval];
    const field = isObject(body) ? known.find((name) => Object.hasOwn(body, name)) : undefined;
    return note(
      field === undefined
        ? 'the response names no interval'
        : `\`${field}\` is ${JSON.stringify(isObject(body) ? body[field] : null)}`,
      exchange,
    );
  },
  async '5/connector-key'(session) {
    const {credential, exchange} = await session.activated();
    if (!isSendable(credential)) return note(credentialLack(exchange, credential), exchange);
    const list = await session.call('list', {key: {text: credential}});
    return note(
      `a connector's credential ${isSuccess(list) ? 'can' : 'cannot'} list the organization`,
      list,
    );
  },
  '7/bad-token': status('an invented token: ', (session) => session.unknownToken()),
};

const unseen: Observe = async () => note('responses do not show it: decide it, and document it');

function toCheck({id, open, decision}: OpenPoint): Check {
  return {
    id,
    level: 'open',
    title: `Open: ${open}`,
    source: `interface §${sectionOf({id})}`,
    reference: decision,
    ...(id in writing && {needs: ['writes'] as const}),
    run: writing[id] ?? reading[id] ?? unseen,
  };
}

/** The builder's decision list: a check for each point that the interface leaves open. */
export const openChecks: readonly Check[] = openPoints.map(toCheck);
