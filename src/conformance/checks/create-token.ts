import {isObject} from '../../client/fields.js';
import {jsonOf, whyNoSuccess} from '../exchange.js';
import type {Check} from '../model.js';
import {fail, pass, requireSuccess, responseOf, skip} from '../outcome.js';
import {readCreated, type Session} from '../session.js';

/** The response to the first token creation, and its JSON. @throws Inconclusive when no token could be created */
async function created(session: Session) {
  const exchange = await session.firstCreation();
  requireSuccess(exchange, 'no token could be created');
  return {exchange, body: jsonOf(exchange) ?? null};
}

/** Date, time and a trailing Z; ISO 8601 allows the basic form and fractions too. */
const utcTime = /^\d{4}-?\d\d-?\d\dT\d\d(:?\d\d){0,2}([.,]\d+)?Z$/;

export const createTokenChecks: readonly Check[] = [
  {
    id: '4.1/creates',
    level: 'must',
    title: 'POST /api/connectors/create-token without a body returns a JSON object',
    source: 'interface §4.1',
    reference: '201, application/json',
    needs: ['writes'],
    async run(session) {
      const exchange = await session.firstCreation();
      const refusal = whyNoSuccess(exchange);
      if (refusal !== undefined) return fail(`no token was created: ${refusal}`, exchange);
      if (!isObject(jsonOf(exchange))) return fail('the response is not a JSON object', exchange);
      return pass(`${exchange.response?.status}, a JSON object`, exchange);
    },
  },
  {
    id: '4.1/token',
    level: 'must',
    title: 'The response to token creation has `token`, a string',
    source: 'interface §2, §4.1',
    reference: '`act_` and 49 characters',
    needs: ['writes'],
    async run(session) {
      const {exchange, body} = await created(session);
      if (!isObject(body)) return skip('the response is not a JSON object', exchange);
      const token = body['token'];
      if (typeof token === 'string' && token !== '') return pass('`token` is a string', exchange);
      const found = token === undefined ? 'missing' : token === '' ? 'empty' : 'not a string';
      return fail(`\`token\` is ${found}`, exchange);
    },
  },
  {
    id: '4.1/expires-at',
    level: 'must',
    title: '`expires_at` is a time in ISO 8601 in UTC, with a trailing Z',
    source: 'interface §2, §4.1',
    reference: 'such as `2026-01-01T00:15:00.000Z`',
    needs: ['writes'],
    async run(session) {
      const {exchange, body} = await created(session);
      if (!isObject(body)) return skip('the response is not a JSON object', exchange);
      const time = body['expires_at'];
      if (time === undefined) return fail('`expires_at` is missing', exchange);
      if (typeof time !== 'string') return fail('`expires_at` is not a string', exchange);
      const isTime = utcTime.test(time) && readCreated(exchange).expiresAt !== undefined;
      if (isTime) return pass(`\`expires_at\` is ${time}`, exchange);
      return fail(`\`expires_at\` is "${time}", not a UTC time with a trailing Z`, exchange);
    },
  },
  {
    id: '4.1/new-token',
    level: 'must',
    title: 'Each call creates a new token',
    source: 'interface §4.1',
    reference: '256 random bits per token',
    needs: ['writes'],
    async run(session) {
      const first = readCreated(await session.firstCreation());
      const exchange = await session.call('createToken');
      responseOf(exchange);
      const {token} = readCreated(exchange);
      if (token === first.token) return fail('two calls returned the same token', exchange);
      return pass('two calls returned two tokens', exchange);
    },
  },
  {
    id: '4.1/future-expiry',
    level: 'should',
    title: '`expires_at` is later than the time of the response',
    source: 'security practice',
    reference: '15 minutes later',
    needs: ['writes'],
    async run(session) {
      const {expiresAt, exchange} = readCreated(await session.firstCreation());
      if (expiresAt === undefined) return skip('`expires_at` cannot be read', exchange);
      // The service's clock decides: it may differ from this machine's.
      const {serverTime} = exchange.response ?? {};
      if (!serverTime) return skip('the response has no Date to compare with', exchange);
      const seconds = Math.round((expiresAt.getTime() - serverTime.getTime()) / 1000);
      if (seconds > 0) return pass(`it expires ${seconds} s after the response`, exchange);
      return fail(`the token had already expired when it was created, by ${-seconds} s`, exchange);
    },
  },
  {
    id: '4.1/unguessable',
    level: 'should',
    title: 'A token has 16 characters or more',
    source: 'security practice: 64 bits cannot be guessed',
    reference: '53 characters with 256 random bits',
    needs: ['writes'],
    async run(session) {
      const {token, exchange} = readCreated(await session.firstCreation());
      if (token.length >= 16) return pass(`${token.length} characters`, exchange);
      return fail(`the token has only ${token.length} characters`, exchange);
    },
  },
  {
    id: '4.1/not-stored',
    level: 'should',
    title: 'The response with the token has `Cache-Control: no-store`',
    source: 'RFC 9111 §5.2.2.5',
    reference: '`Cache-Control: no-store` on every response',
    needs: ['writes'],
    async run(session) {
      const {exchange} = await created(session);
      const control = exchange.response?.headers['cache-control'] ?? '';
      if (/\bno-store\b/i.test(control)) return pass('no-store', exchange);
      return fail(
        'the response has no `Cache-Control: no-store`, so a cache may keep the token',
        exchange,
      );
    },
  },
  {
    id: '4.1/needs-key',
    level: 'should',
    title: 'Token creation without a key is refused',
    source: 'security practice',
    reference: '401',
    needs: ['writes'],
    run: (session) =>
      session.evaluateRefusal(
        session.call('createToken', {key: 'none'}),
        'anyone can create a token: the request needs no key',
      ),
  },
  {
    id: '4.1/expires',
    level: 'must',
    title: 'A token is not valid after its `expires_at`',
    source: 'interface §2',
    reference: '410, problem `token_expired`',
    needs: ['writes'],
    turn: 'expiry',
    async run(session) {
      const {token, expiresAt, exchange: creation} = await session.createToken();
      if (expiresAt === undefined) return skip('`expires_at` cannot be read', creation);
      const now = await session.time.now();
      // A proxy may have set `Date`: the earlier time is safe.
      const date = creation.response?.serverTime?.getTime() ?? now;
      const left = expiresAt.getTime() - Math.min(now, date) + 2000;
      if (!session.time.canPass(left)) {
        const minutes = Math.ceil(left / 60_000);
        return skip(`the token is valid for longer than this run waits: --patience ${minutes}m`);
      }
      await session.time.letPass(left);
      const exchange = await session.activate(token, session.refusedName('expired'));
      return session.evaluateRefusal(exchange, 'a token was accepted after its `expires_at`');
    },
  },
];
