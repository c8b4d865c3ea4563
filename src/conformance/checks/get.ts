import {isObject} from '../../client/fields.js';
import {type Exchange, idLack} from '../exchange.js';
import {readDetails} from '../listing.js';
import type {Table} from '../model.js';
import {type CheckOutcome, fail, pass, responseOf, skip} from '../outcome.js';
import {inventedId} from '../session.js';
import {evaluateRefusal} from './refusals.js';

/** Evaluates the details of a connector: any object (§4.4), unless it has another id, or another name where one is given. */
function evaluateRead(exchange: Exchange, expected: {id: string; name?: unknown}): CheckOutcome {
  const refusal = exchange.whyNoSuccess;
  if (refusal !== undefined) return fail(`the connector cannot be read: ${refusal}`, exchange);
  if (exchange.response?.body.length === 0) return fail('the response is empty', exchange);
  if (exchange.json === undefined) {
    const type = exchange.response?.headers['content-type'] ?? '';
    const isFaulty = /json|html/i.test(type);
    const fault = isFaulty ? 'is not valid JSON' : 'is in a form that this suite cannot read';
    return (isFaulty ? fail : skip)(`the response ${fault}: ${exchange.description}`, exchange);
  }
  const {id, fields, raw} = readDetails(exchange);
  if (!isObject(raw)) return fail('the response has no details of a connector', exchange);
  if (id !== undefined && id !== expected.id)
    return fail('the response is about a connector with another id', exchange);
  if (id === undefined && fields.name === undefined)
    return skip('the response shows neither the id nor the name of the connector', exchange);
  const names = [fields.name, expected.name].filter((name) => typeof name === 'string');
  if (new Set(names).size > 1)
    return fail('the response is about a connector with another name', exchange);
  return pass(exchange.description, exchange);
}

export const getChecks: Table = {
  '4.4/reads': {
    level: 'must',
    title: 'GET /api/connectors/{id} returns the connector with that id',
    reference: '200 with the connector as a JSON object',
    async run(session) {
      const {id} = await session.readableConnector();
      return evaluateRead(await session.readOne(), {id});
    },
  },
  '4.4/listed-id': {
    level: 'must',
    title: 'An id of the list, requested again, stays the id of the same connector',
    reference: 'ids never change',
    turn: 'several',
    async run(session) {
      const listing = await session.filledListing();
      const connector = listing.connectors.findLast(({id}) => id !== undefined);
      if (connector?.id === undefined) return skip(idLack, listing.exchange);
      const {id, fields} = connector;
      const exchange = await session.call('get', {id});
      const refusal = exchange.whyNoSuccess;
      const isUnknown = exchange.response?.status === 404;
      if (refusal === undefined ? exchange.json === undefined : !isUnknown)
        return skip(`reading it fails: ${refusal ?? exchange.description}`, exchange);
      return evaluateRead(exchange, {id, name: fields.name});
    },
  },
  '4.4/unknown-id': {
    title: 'An id that no connector has is refused with a status from 400 to 499',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `connector_unknown`',
    async run(session) {
      const exchange = await session.unknownId();
      const {status} = responseOf(exchange);
      if (exchange.isClientError) return evaluateRefusal(session, exchange, '');
      return fail(`the response for an unknown id has the status ${status}`, exchange);
    },
  },
  '4.4/odd-id': {
    title: 'An id with special characters does not make the service fail',
    source: 'RFC 3986 §2.1',
    reference: '404',
    async run(session) {
      const isAnyIdRead = (await session.unknownId()).isSuccess;
      for (const id of [`${inventedId}/é`, "' OR 1=1 --", 'a%b', '..%2F..']) {
        const exchange = await session.call('get', {id});
        const {status} = responseOf(exchange);
        const sent = `the id ${JSON.stringify(id)}`;
        if (status >= 500) return fail(`${sent} causes the status ${status}`, exchange);
        if (exchange.isSuccess && !isAnyIdRead)
          return fail(`${sent}, which no connector has, is read successfully`, exchange);
      }
      return pass('no unusual id causes a server error');
    },
  },
  '4.4/isolation': {
    title: 'A connector of another organization cannot be read',
    source: 'interface §1, security practice',
    reference: '404, as for an unknown id',
    needs: ['second-key'],
    async run(session) {
      const {id, name} = await session.readableConnector();
      const exchange = await session.call('get', {id, key: 'second'});
      const isOther = exchange.isSuccess && readDetails(exchange).fields.name !== name;
      if (isOther) return skip('the second key reads another connector by this id', exchange);
      const wrong = 'the second key reads a connector of the first';
      return evaluateRefusal(
        session,
        exchange,
        `${wrong}; both keys may belong to one organization`,
      );
    },
  },
};
