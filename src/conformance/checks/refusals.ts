import type {Operation} from '../../contract/endpoints.js';
import type {Exchange} from '../exchange.js';
import {readDetails} from '../listing.js';
import {type CheckRow, mapTable, type Table} from '../model.js';
import {type CheckOutcome, fail, Inconclusive, pass, responseOf, skip} from '../outcome.js';
import {inventedId, type Session} from '../session.js';

/** Correct requests to compare with: if the service refuses one of them too, a refusal proves nothing. */
const correct: Readonly<Record<Operation, (session: Session) => Promise<Exchange>>> = {
  createToken: (session) => session.firstCreation(),
  activate: async (session) => (await session.connector()).exchange,
  list: async (session) => (await session.listing()).exchange,
  get: (session) => session.readOne(),
  heartbeat: (session) => session.heartbeat(),
};

/**
 * Evaluates a request that a service has to refuse.
 *
 * @param wrong the observation if it is not refused
 * @throws Inconclusive without a response, or when the correct request could not be made
 */
export async function evaluateRefusal(
  session: Session,
  exchange: Exchange,
  wrong: string,
): Promise<CheckOutcome> {
  const {status} = responseOf(exchange);
  if (!exchange.isRefusal) return fail(wrong, exchange);
  if (status >= 500)
    return skip(`the service fails with ${status}, so its response proves nothing`, exchange);
  const reason = (await correct[exchange.call.operation](session)).whyNoSuccess;
  if (reason === undefined) return pass(`refused with ${status}`, exchange);
  return skip(
    `refused with ${status}, which proves nothing: the correct request fails too (${reason})`,
    exchange,
  );
}

/** A check of one request that a service has to refuse. */
interface Refusal extends Omit<CheckRow, 'run'> {
  /** The observation if the request is not refused. */
  readonly wrong: string;
  readonly send: (session: Session) => Promise<Exchange>;
}

const refusals: Table<Refusal> = {
  '4.1/needs-key': {
    title: 'Token creation without a key is refused',
    reference: '401',
    needs: ['writes'],
    wrong: 'anyone can create a token: the request needs no key',
    send: (session) => session.call('createToken', {key: 'none'}),
  },
  '4.2/unknown-token': {
    level: 'must',
    title: 'A token that was never created activates nothing',
    reference: '400 or 401, problem `token_malformed` or `token_unknown`',
    needs: ['writes'],
    wrong: 'an invented token was accepted',
    send: (session) => session.unknownToken(),
  },
  '4.2/needs-token': {
    title: 'A request without a token activates nothing',
    reference: '400, problem `request_invalid`',
    needs: ['writes'],
    wrong: 'a request without a token was accepted',
    async send(session) {
      const name = session.refusedName('without-token');
      return (await session.activate({name})).exchange;
    },
  },
  '4.2/token-type': {
    title: 'A token that is not a string activates nothing',
    reference: '400, problem `request_invalid`',
    needs: ['writes'],
    wrong: 'a token that is not a string was accepted',
    async send(session) {
      const name = session.refusedName('type');
      const {exchange} = await session.activate({token: true, name});
      if (!exchange.isClientError) return exchange;
      return (await session.activate({token: {$ne: ''}, name})).exchange;
    },
  },
  '4.5/unknown-id': {
    title: 'The heartbeat of a connector that does not exist is refused',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `connector_unknown`',
    needs: ['writes'],
    wrong: 'the heartbeat of a connector that does not exist was accepted',
    send: (session) => session.call('heartbeat', {id: inventedId}),
  },
  '4.5/isolation': {
    title: 'The heartbeat of a connector of another organization is refused',
    source: 'interface §1, security practice',
    reference: '404, as for an unknown id',
    needs: ['writes', 'second-key'],
    wrong: 'the second key sent a heartbeat for a connector of the first',
    async send(session) {
      const id = await session.activatedId();
      const exchange = await session.call('heartbeat', {id, key: 'second'});
      if (exchange.isSuccess && (await hasOwn(session, id)))
        throw new Inconclusive('the second key has a connector with this id too', exchange);
      return exchange;
    },
  },
  '4.5/needs-key': {
    title: 'A heartbeat without a key is refused',
    reference: '401',
    needs: ['writes'],
    wrong: 'a heartbeat without a key was accepted',
    send: async (session) =>
      session.call('heartbeat', {id: await session.activatedId(), key: 'none'}),
  },
  '5/needs-key': {
    title: 'The list is refused without a key',
    reference: '401, problem `key_missing`',
    wrong: 'anyone can list the connectors: the request needs no key',
    send: (session) => session.withoutKey(),
  },
  '5/wrong-key': {
    title: 'A key that was never issued is refused',
    reference: '401, problem `key_malformed` or `key_unknown`',
    wrong: 'an invented key was accepted',
    send: (session) => session.call('list', {key: 'invalid'}),
  },
  '5/revoked-key': {
    title: 'A revoked key is refused',
    reference: '401, problem `key_revoked`',
    needs: ['revoked-key'],
    wrong: 'a revoked key was accepted',
    send: (session) => session.call('list', {key: 'revoked'}),
  },
};

/** Whether the second key's organization has its own connector with this id: ids may be numbered per organization. */
async function hasOwn(session: Session, id: string): Promise<boolean> {
  const exchange = await session.call('get', {id, key: 'second'});
  if (!exchange.isSuccess) return false;
  const {name} = readDetails(exchange).fields;
  return typeof name === 'string' && name !== (await session.activated()).name;
}

export const refusalChecks = mapTable(refusals, ({wrong, send, ...check}) => ({
  ...check,
  run: async (session) => evaluateRefusal(session, await send(session), wrong),
}));
