import {counted} from '../../domain/words.js';
import {
  activationOf,
  isClientError,
  isRefusal,
  isSuccess,
  isUnanswered,
  isUnread,
  whyNoSuccess,
} from '../exchange.js';
import {readDetails} from '../listing.js';
import type {Check} from '../model.js';
import {fail, note, pass, responseOf, skip, unread} from '../outcome.js';

/** Number of simultaneous requests with one token. */
const simultaneous = 5;

export const activateChecks: readonly Check[] = [
  {
    id: '4.2/activates',
    level: 'must',
    title: 'POST /api/connectors/activate with a new token and a name activates a connector',
    source: 'interface §1, §4.2',
    reference: '201 with the connector and its API key',
    needs: ['writes'],
    async run(session) {
      const {exchange, name, token} = await session.connector();
      const refusal = whyNoSuccess(exchange);
      if (refusal !== undefined) return fail(`no connector was activated: ${refusal}`, exchange);
      const {connector} = activationOf(exchange, token);
      const isShown = connector ?? (await session.listed('name', name)).connector;
      if (isShown !== undefined) return pass(`${exchange.response?.status}`, exchange);
      return skip('neither the response nor the list shows the connector', exchange);
    },
  },
  {
    id: '4.2/unknown-token',
    level: 'must',
    title: 'A token that was never created activates nothing',
    source: 'interface §1, §4.2',
    reference: '400 or 401, problem `token_malformed` or `token_unknown`',
    needs: ['writes'],
    run: (session) =>
      session.evaluateRefusal(session.unknownToken(), 'an invented token was accepted'),
  },
  {
    id: '4.2/name-kept',
    level: 'must',
    title: 'A connector has the name that it was activated with',
    source: 'interface §2',
    reference: 'the name as sent, without spaces at its ends',
    needs: ['writes'],
    async run(session) {
      const {name} = await session.activated();
      const id = await session.activatedId();
      const read = await session.readOne();
      const listed = (await session.listed('id', id)).connector;
      const shown = isSuccess(read) ? readDetails(read).fields.name : undefined;
      const found = [shown, listed?.fields.name].filter((text) => typeof text === 'string');
      if (found.length === 0) return skip('no response shows the name', read);
      const other = found.find((text) => text !== name);
      if (other === undefined) return pass('the name is shown as sent', read);
      return fail(`the connector activated as "${name}" is named "${other}"`, read);
    },
  },
  {
    id: '4.2/new-id',
    level: 'must',
    title: 'An activation that returns an id returns the id of a new connector',
    source: 'interface §2, §4.4',
    reference: 'ids are unique, and never used again',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      const {exchange} = await session.activated();
      await session.several(2);
      const ids = session.activations.returnedIds();
      if (ids.length < 2)
        return skip('the ids of two activated connectors are not known', exchange);
      const count = new Set(ids).size;
      if (count === ids.length) return pass(counted(count, 'id'), exchange);
      return fail(`${ids.length} activations returned ${counted(count, 'id')}`, exchange);
    },
  },
  {
    id: '4.2/unicode-name',
    level: 'should',
    title: 'A name with letters beyond ASCII is refused or kept',
    source: 'RFC 8259 §8.1',
    reference: 'it is kept',
    needs: ['writes'],
    async run(session) {
      const {token} = await session.createToken();
      const name = session.nextName('-AÉé漢😀');
      const exchange = await session.activate(token, name);
      if (!isSuccess(exchange))
        return skip('the name was refused, as limits on names are open', exchange);
      const {listing, connector} = await session.listed('name', name);
      if (connector !== undefined) return pass('kept', exchange);
      if (listing.unread !== undefined) return skip('the list could not be read', exchange);
      const start = name.split('-AÉ')[0] ?? '';
      const near = listing.connectors
        .map(({fields}) => fields.name)
        .find((text) => typeof text === 'string' && text.startsWith(start));
      return near === undefined
        ? skip('the connector is not in the list', exchange)
        : fail('the list has the name with other letters', exchange);
    },
  },
  {
    id: '4.2/single-use',
    level: 'should',
    title: 'A token activates one connector',
    source: 'interface §4.1 ("a connector"), security practice',
    reference: '409, problem `token_used`',
    needs: ['writes'],
    async run(session) {
      const {token, name, exchange: first} = await session.activated();
      const again = `${name}-again`;
      const exchange = await session.activate(token, again);
      if (!isSuccess(exchange)) return session.evaluateRefusal(exchange, '');
      const count = await session.countActivated(token, [first, exchange], [name, again]);
      if (count === undefined)
        return skip('a used token is accepted; no response shows for which connector', exchange);
      if (count > 1) return fail('a used token was accepted for another connector', exchange);
      const {connectors} = await session.readList('own');
      if (connectors.some(({fields}) => fields.name === again))
        return fail('a used token was accepted for another name of its connector', exchange);
      const {credential} = activationOf(exchange, token);
      const shown =
        credential === undefined ? '' : ' and its credential, so the token stays secret';
      return pass(`a used token is answered with the same connector${shown}`, exchange);
    },
  },
  {
    id: '4.2/simultaneous-use',
    level: 'should',
    title: 'A token that is used several times at once activates one connector',
    source: 'security practice',
    reference: 'one 201, all others 409',
    needs: ['writes'],
    async run(session) {
      const {token} = await session.createToken();
      const name = session.nextName();
      const attempts = Array.from({length: simultaneous}, (_, index) =>
        session.activate(token, `${name}-${index + 1}`),
      );
      const exchanges = await Promise.all(attempts);
      const accepted = exchanges.filter(isSuccess);
      const [first] = accepted;
      const silent = exchanges.find(isUnanswered);
      if (first === undefined || silent !== undefined)
        return skip('not all were accepted or refused', silent ?? exchanges[0]);
      const some = `${accepted.length} of ${simultaneous}`;
      if (accepted.length === 1) return pass(`${some} succeeded`, first);
      const names = attempts.map((_, index) => `${name}-${index + 1}`);
      const count = await session.countActivated(token, accepted, names);
      if (count === undefined)
        return skip(`${some} succeeded; no response shows for which connector`, first);
      if (count === 1) return pass(`${some} succeeded, for the same connector`, first);
      return fail(`${some} simultaneous requests with one token succeeded`, first);
    },
  },
  {
    id: '4.2/refusal-keeps-token',
    level: 'should',
    title: 'A request that is refused for another reason does not use up the token',
    source: 'security practice',
    reference: '400, and the token stays usable',
    needs: ['writes'],
    async run(session) {
      await session.activated();
      const {token} = await session.createToken();
      const name = session.nextName();
      const refused = await session.sendActivation({token});
      if (!isRefusal(refused)) return skip('a request without a name is not refused', refused);
      const exchange = await session.activate(token, name);
      const refusal = whyNoSuccess(exchange);
      if (refusal === undefined) return pass('the token was still usable', exchange);
      return fail(
        `after a refused request without a name, the token no longer works: ${refusal}`,
        exchange,
      );
    },
  },
  {
    id: '4.2/needs-token',
    level: 'should',
    title: 'A request without a token activates nothing',
    source: 'security practice',
    reference: '400, problem `request_invalid`',
    needs: ['writes'],
    run: (session) =>
      session.evaluateRefusal(session.withoutToken(), 'a request without a token was accepted'),
  },
  {
    id: '4.2/token-type',
    level: 'should',
    title: 'A token of another type than a string activates nothing',
    source: 'security practice',
    reference: '400, problem `request_invalid`',
    needs: ['writes'],
    async run(session) {
      const send = async (token: unknown) => {
        const exchange = await session.sendActivation({token, name: session.refusedName('type')});
        return session.evaluateRefusal(exchange, `the token ${JSON.stringify(token)} was accepted`);
      };
      const outcome = await send(true);
      return outcome.status === 'pass' ? send({$ne: ''}) : outcome;
    },
  },
  {
    id: '4.2/invalid-json',
    level: 'should',
    title: 'A body that is not JSON is refused with a status from 400 to 499',
    source: 'RFC 9110 §15.5.1',
    reference: '400, problem `body_malformed`',
    async run(session) {
      const exchange = await session.invalidJson();
      const response = responseOf(exchange);
      if (isUnread(exchange)) return skip(unread(response.status), exchange);
      if (isClientError(exchange)) return pass(`${response.status}`, exchange);
      return fail(`the response to invalid JSON has the status ${response.status}`, exchange);
    },
  },
  {
    id: '4.2/refused-makes-none',
    level: 'must',
    title: 'An activation that is refused makes no connector',
    source: 'interface §1, §4.2',
    reference: 'nothing is changed',
    needs: ['writes'],
    turn: 'end',
    async run(session) {
      const {exchange} = await session.activated();
      const names = session.activations.refusedNames();
      if (names.length === 0) return skip('no activation was refused', exchange);
      const listing = await session.readList('own');
      const {connectors} = listing;
      const listed = new Set(connectors.map(({fields}) => fields.name));
      const made = names.filter((name) => listed.has(name));
      if (made.length > 0)
        return fail(`refused at activation, but in the list: ${made.join(', ')}`, listing.exchange);
      if (listing.unread !== undefined)
        return skip(`the list could not be read: ${listing.unread}`, exchange);
      if (!session.activations.createdNames().some((name) => listed.has(name)))
        return skip('the list shows no connector of this run by its name', listing.exchange);
      return pass(
        `the list has none of ${counted(names.length, 'refused name')}`,
        listing.exchange,
      );
    },
  },
  {
    id: '4.2/idempotency-key',
    level: 'extension',
    title: 'A repeated activation with the same Idempotency-Key returns the same response',
    source: 'draft-ietf-httpapi-idempotency-key-header',
    reference: 'the same 201 response, with the same API key',
    needs: ['writes'],
    async run(session) {
      const {token} = await session.createToken();
      const name = session.nextName();
      const headers = {'idempotency-key': `conformance-${session.run}`};
      const first = await session.activate(token, name, headers);
      if (!isSuccess(first)) return skip('no connector could be activated', first);
      const again = await session.activate(token, name, headers);
      if (!isSuccess(again))
        return note(
          `a repeated activation is refused with ${again.response?.status ?? 'no response'}`,
          again,
        );
      const isSame = first.response?.body.equals(again.response?.body ?? Buffer.alloc(0)) === true;
      return note(
        isSame
          ? 'the repeated request got the same response'
          : 'the repeated request succeeded with another response',
        again,
      );
    },
  },
];
