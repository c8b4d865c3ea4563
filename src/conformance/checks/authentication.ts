import {isLoopback} from '../../client/settings.js';
import {isSuccess, whyNoSuccess} from '../exchange.js';
import type {Check} from '../model.js';
import {fail, pass, responseOf, skip} from '../outcome.js';

export const authenticationChecks: readonly Check[] = [
  {
    id: '5/needs-key',
    level: 'should',
    title: 'The list is refused without a key',
    source: 'security practice',
    reference: '401, problem `key_missing`',
    run: (session) =>
      session.evaluateRefusal(
        session.withoutKey(),
        'anyone can list the connectors: the request needs no key',
      ),
  },
  {
    id: '5/wrong-key',
    level: 'should',
    title: 'A key that was never issued is refused',
    source: 'security practice',
    reference: '401, problem `key_malformed` or `key_unknown`',
    run: (session) =>
      session.evaluateRefusal(
        session.call('list', {key: 'invalid'}),
        'an invented key was accepted',
      ),
  },
  {
    id: '5/revoked-key',
    level: 'should',
    title: 'A revoked key is refused',
    source: 'security practice',
    reference: '401, problem `key_revoked`',
    needs: ['revoked-key'],
    run: (session) =>
      session.evaluateRefusal(session.call('list', {key: 'revoked'}), 'a revoked key was accepted'),
  },
  {
    id: '5/scheme-case',
    level: 'should',
    title: 'The scheme `Bearer` is accepted in lower and upper case',
    source: 'RFC 9110 §11.1',
    reference: 'any case',
    async run(session) {
      const [, key] = /^Bearer (.*)$/.exec(session.authorization ?? '') ?? [];
      if (key === undefined) return skip('the key is not sent with the scheme Bearer');
      const refusal = whyNoSuccess((await session.listing()).exchange);
      if (refusal !== undefined) return skip(`the list cannot be read: ${refusal}`);
      for (const scheme of ['bearer', 'BEARER']) {
        const headers = {authorization: `${scheme} ${key}`};
        const exchange = await session.call('list', {key: 'none', headers});
        responseOf(exchange);
        if (!isSuccess(exchange))
          return fail(`a valid key is refused with the scheme \`${scheme}\``, exchange);
      }
      return pass('`bearer` and `BEARER` are accepted');
    },
  },
  {
    id: '5/challenge',
    level: 'should',
    title: 'A 401 response has `WWW-Authenticate`',
    source: 'RFC 9110 §15.5.2',
    reference: '`WWW-Authenticate: Bearer`',
    async run(session) {
      const exchange = await session.withoutKey();
      if (exchange.response?.status !== 401)
        return skip('the list without a key has no status 401', exchange);
      const challenge = exchange.response.headers['www-authenticate'];
      if (challenge !== undefined) return pass('present', exchange);
      return fail('the 401 response has no `WWW-Authenticate`', exchange);
    },
  },
  {
    id: '5/tls',
    level: 'should',
    title: 'The service is reached over HTTPS, unless it is on this machine',
    source: 'RFC 6750 §5.3',
    reference: 'plain HTTP on loopback only, unless the operator asks for more',
    async run(session) {
      if (session.base.protocol === 'https:') return pass('HTTPS');
      if (isLoopback(session.base)) return pass('HTTP on this machine');
      return fail('anyone on the network can read keys and tokens that are sent over plain HTTP');
    },
  },
];
