import {counted} from '../../domain/words.js';
import type {Exchange} from '../exchange.js';
import {type Listing, readDetails} from '../listing.js';
import {writing} from '../model.js';
import {fail, pass, skip} from '../outcome.js';
import type {Activation} from '../session.js';
import {evaluateRefusal} from './refusals.js';

/** Number of simultaneous requests with one token. */
const simultaneous = 5;

/**
 * The number of connectors that accepted activations with one token created; undefined when no response shows it.
 *
 * @param connectors those in the list after the activations
 */
function countCreated(
  accepted: readonly Activation[],
  names: readonly string[],
  {connectors}: Listing,
): number | undefined {
  const ids = accepted.map(({id}) => id);
  const different = new Set(ids.filter((id) => id !== undefined)).size;
  if (different > 1) return different;
  const meant = connectors.filter(({fields}) => names.includes(String(fields.name)));
  const listed = new Set(meant.map(({id, fields}) => id ?? fields.name)).size;
  return Math.max(listed, ids.includes(undefined) ? 0 : different) || undefined;
}

export const activateChecks = writing({
  '4.2/activates': {
    level: 'must',
    title: 'POST /api/connectors/activate with a new token and a name activates a connector',
    reference: '201 with the connector and its API key',
    async run(session) {
      const {exchange, name, id} = await session.connector();
      const refusal = exchange.whyNoSuccess;
      if (refusal !== undefined) return fail(`no connector was activated: ${refusal}`, exchange);
      const isShown = id ?? (await session.listed('name', name)).connector;
      if (isShown !== undefined) return pass(`${exchange.response?.status}`, exchange);
      return skip('neither the response nor the list shows the connector', exchange);
    },
  },
  '4.2/name-kept': {
    level: 'must',
    title: 'A connector has the name that it was activated with',
    source: 'interface §2',
    reference: 'the name as sent, without spaces at its ends',
    async run(session) {
      const {name} = await session.activated();
      const id = await session.activatedId();
      const read = await session.readOne();
      const listed = (await session.listed('id', id)).connector;
      const shown = read.isSuccess ? readDetails(read).fields.name : undefined;
      const found = [shown, listed?.fields.name].filter((text) => typeof text === 'string');
      if (found.length === 0) return skip('no response shows the name', read);
      const other = found.find((text) => text !== name);
      if (other === undefined) return pass('the name is shown as sent', read);
      return fail(`the connector activated as "${name}" is named "${other}"`, read);
    },
  },
  '4.2/new-id': {
    level: 'must',
    title: 'An activation that returns an id returns the id of a new connector',
    source: 'interface §2, §4.4',
    reference: 'ids are unique, and never used again',
    turn: 'several',
    async run(session) {
      const {exchange} = await session.activated();
      await session.several(2);
      const ids = session.created().flatMap(({id}) => id ?? []);
      if (ids.length < 2)
        return skip('the ids of two activated connectors are not known', exchange);
      const count = new Set(ids).size;
      if (count === ids.length) return pass(counted(count, 'id'), exchange);
      return fail(`${ids.length} activations returned ${counted(count, 'id')}`, exchange);
    },
  },
  '4.2/unicode-name': {
    title: 'A name with letters beyond ASCII is refused or kept',
    source: 'RFC 8259 §8.1',
    reference: 'it is kept',
    async run(session) {
      const {token} = await session.createToken();
      const name = session.nextName('-AÉé漢😀');
      const {exchange} = await session.activate({token, name});
      if (!exchange.isSuccess)
        return skip('the name was refused, as limits on names are open', exchange);
      const {listing, connector} = await session.listed('name', name);
      if (connector !== undefined) return pass('kept', exchange);
      if (listing.unread !== undefined) return skip('the list could not be read', exchange);
      const start = name.slice(0, name.indexOf('-AÉ'));
      const isNear = listing.connectors.some(({fields}) => `${fields.name}`.startsWith(start));
      return isNear
        ? fail('the list has the name with other letters', exchange)
        : skip('the connector is not in the list', exchange);
    },
  },
  '4.2/single-use': {
    title: 'A token activates one connector',
    source: 'interface §4.1 ("a connector"), security practice',
    reference: '409, problem `token_used`',
    async run(session) {
      const first = await session.activated();
      const name = `${first.name}-again`;
      const again = await session.activate({token: first.token, name});
      const {exchange, credential} = again;
      if (!exchange.isSuccess) return evaluateRefusal(session, exchange, '');
      const listing = await session.readList();
      const count = countCreated([first, again], [first.name, name], listing);
      if (count === undefined)
        return skip('a used token is accepted; no response shows for which connector', exchange);
      if (count > 1) return fail('a used token was accepted for another connector', exchange);
      if (listing.connectors.some(({fields}) => fields.name === name))
        return fail('a used token was accepted for another name of its connector', exchange);
      const shown =
        credential === undefined ? '' : ' and its credential, so keep used tokens secret';
      return pass(`a used token is answered with the same connector${shown}`, exchange);
    },
  },
  '4.2/simultaneous-use': {
    title: 'A token that is used several times at once activates one connector',
    reference: 'one 201, all others 409',
    async run(session) {
      const {token} = await session.createToken();
      const name = session.nextName();
      const names = Array.from({length: simultaneous}, (_, index) => `${name}-${index + 1}`);
      const sent = await Promise.all(names.map((one) => session.activate({token, name: one})));
      const accepted = sent.filter(({exchange}) => exchange.isSuccess);
      const [first] = accepted;
      const silent = sent.find(({exchange}) => exchange.isUnanswered);
      if (first === undefined || silent !== undefined)
        return skip('not all were accepted or refused', (silent ?? sent[0])?.exchange);
      const {exchange} = first;
      const some = `${accepted.length} of ${simultaneous}`;
      if (accepted.length === 1) return pass(`${some} succeeded`, exchange);
      const count = countCreated(accepted, names, await session.readList());
      if (count === undefined)
        return skip(`${some} succeeded; no response shows for which connector`, exchange);
      if (count === 1) return pass(`${some} succeeded, for the same connector`, exchange);
      return fail(`${some} simultaneous requests with one token succeeded`, exchange);
    },
  },
  '4.2/refusal-keeps-token': {
    title: 'A request that is refused for another reason does not use up the token',
    reference: '400, and the token stays usable',
    async run(session) {
      await session.activated();
      const {token} = await session.createToken();
      const name = session.nextName();
      const {exchange: refused} = await session.activate({token});
      if (!refused.isRefusal) return skip('a request without a name is not refused', refused);
      const {exchange} = await session.activate({token, name});
      const refusal = exchange.whyNoSuccess;
      if (refusal === undefined) return pass('the token was still usable', exchange);
      return fail(
        `after a refused request without a name, the token no longer works: ${refusal}`,
        exchange,
      );
    },
  },
  '4.2/refused-makes-none': {
    level: 'must',
    title: 'A refused activation creates no connector',
    reference: 'nothing is changed',
    turn: 'end',
    async run(session) {
      const {exchange} = await session.activated();
      const namesOf = (isMeant: (exchange: Exchange) => boolean) =>
        new Set(session.activations.filter((one) => isMeant(one.exchange)).map(({name}) => name));
      const accepted = namesOf((one) => one.isSuccess);
      const refused = namesOf((one) => one.isRefusal && (one.response?.status ?? 0) < 500);
      const names = [...refused].filter((name) => name !== undefined && !accepted.has(name));
      if (names.length === 0) return skip('no activation was refused', exchange);
      const listing = await session.readList();
      const listed = new Set(listing.connectors.map(({fields}) => fields.name));
      const made = names.filter((name) => listed.has(name));
      if (made.length > 0)
        return fail(`refused at activation, but in the list: ${made.join(', ')}`, listing.exchange);
      if (listing.unread !== undefined)
        return skip(`the list could not be read: ${listing.unread}`, exchange);
      if (!session.created().some(({name}) => listed.has(name)))
        return skip('the list shows no connector of this run by its name', listing.exchange);
      return pass(
        `the list has none of ${counted(names.length, 'refused name')}`,
        listing.exchange,
      );
    },
  },
});
