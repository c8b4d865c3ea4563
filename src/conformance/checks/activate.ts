import {isRefusal, isSuccess, jsonOf, whyNoSuccess} from '../exchange.js';
import {readShown} from '../listing.js';
import type {Check} from '../model.js';
import {counted, fail, judgeRefusal, note, pass, skip} from '../outcome.js';

/** Requests with the same token at once. */
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
      const {exchange} = await session.connector();
      const refusal = whyNoSuccess(exchange);
      if (refusal !== undefined) return fail(`no connector was activated: ${refusal}`, exchange);
      return pass(`${exchange.response?.status}`, exchange);
    },
  },
  {
    id: '4.2/unknown-token',
    level: 'must',
    title: 'A token that was never created activates nothing',
    source: 'interface §1, §4.2',
    reference: '400 or 401, problem `token_malformed` or `token_unknown`',
    needs: ['writes'],
    async run(session) {
      return judgeRefusal(await session.unknownToken(), 'an invented token was accepted');
    },
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
      const listed = (await session.listedById(id)).connector;
      const shown = isSuccess(read) ? readShown(jsonOf(read) ?? null).fields.name : undefined;
      for (const found of [shown, listed?.fields.name]) {
        if (typeof found !== 'string' || found === name) continue;
        return fail(`the connector activated as "${name}" is named "${found}"`, read);
      }
      if (shown === undefined && listed === undefined)
        return skip('no response shows the name', read);
      return pass('the name is shown as sent', read);
    },
  },
  {
    id: '4.2/new-id',
    level: 'must',
    title: 'An activation that returns an id returns the id of a new connector',
    source: 'interface §2, §4.4',
    reference: 'ids are unique, and never used again',
    needs: ['writes'],
    isLast: true,
    async run(session) {
      const {exchange} = await session.activated();
      const ids = session.activatedIds();
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
      const name = session.nextName('-é漢😀');
      const exchange = await session.activate(token, name);
      if (!isSuccess(exchange))
        return skip('the name was refused, as limits on names are open', exchange);
      const {listing, connector} = await session.listedByName(name);
      if (connector !== undefined) return pass('kept', exchange);
      if (listing.fault ?? listing.unread) return skip('the list could not be read', exchange);
      const start = name.split('-é')[0] ?? '';
      const near = listing.connectors
        .map(({fields}) => fields.name)
        .find((text) => typeof text === 'string' && text.startsWith(start));
      return near === undefined
        ? skip('the connector is not in the list', exchange)
        : fail('the service changed the non-ASCII letters of the name', exchange);
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
      const {token, name} = await session.activated();
      const exchange = await session.activate(token, `${name}-again`);
      return judgeRefusal(exchange, 'a used token was accepted for another connector');
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
      if (first === undefined) return skip('none of the requests succeeded', exchanges[0]);
      if (accepted.length === 1) return pass(`1 of ${simultaneous} succeeded`, first);
      return fail(
        `${accepted.length} of ${simultaneous} simultaneous requests with one token succeeded`,
        first,
      );
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
      const refused = await session.call('activate', {key: 'none', body: JSON.stringify({token})});
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
    async run(session) {
      return judgeRefusal(await session.withoutToken(), 'a request without a token was accepted');
    },
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
        const body = JSON.stringify({token, name: `conformance-${session.run}-refused`});
        const exchange = await session.call('activate', {body});
        return judgeRefusal(exchange, `the token ${JSON.stringify(token)} was accepted`);
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
      const {response} = exchange;
      if (response === undefined) return fail(`no response: ${exchange.failure}`, exchange);
      const isRefused = response.status >= 400 && response.status < 500;
      if (isRefused) return pass(`${response.status}`, exchange);
      return fail(`the response to invalid JSON has the status ${response.status}`, exchange);
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
