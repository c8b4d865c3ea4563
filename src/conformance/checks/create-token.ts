import {isObject} from '../../client/fields.js';
import type {JsonObject} from '../../domain/json.js';
import {writing} from '../model.js';
import {fail, Inconclusive, pass, requireSuccess, responseOf, skip} from '../outcome.js';
import {readCreated, type Session} from '../session.js';
import {evaluateRefusal} from './refusals.js';

/** The response to the first token creation, and the object in it. @throws Inconclusive without one */
async function created(session: Session) {
  const exchange = await session.firstCreation();
  requireSuccess(exchange, 'no token could be created');
  const body = exchange.json;
  if (!isObject(body)) throw new Inconclusive('the response is not a JSON object', exchange);
  return {exchange, body: body as Partial<JsonObject>};
}

/** The first token, and the seconds from its creation to its expiry; NaN when the response does not show them. */
export async function firstToken(session: Session) {
  const created = readCreated(await session.firstCreation());
  // The service's clock decides: it may differ from this machine's.
  const start = created.exchange.response?.serverTime?.getTime() ?? Number.NaN;
  const end = created.expiresAt?.getTime() ?? Number.NaN;
  return {...created, lifetime: Math.round((end - start) / 1000)};
}

/** Date, time and a trailing Z; ISO 8601 allows the basic form and fractions too. */
const utcTime = /^\d{4}-?\d\d-?\d\dT\d\d(:?\d\d){0,2}([.,]\d+)?Z$/;

export const createTokenChecks = writing({
  '4.1/creates': {
    level: 'must',
    title: 'POST /api/connectors/create-token without a body returns a JSON object',
    reference: '201, application/json',
    async run(session) {
      const exchange = await session.firstCreation();
      const refusal = exchange.whyNoSuccess;
      if (refusal !== undefined) return fail(`no token was created: ${refusal}`, exchange);
      if (!isObject(exchange.json)) return fail('the response is not a JSON object', exchange);
      return pass(`${exchange.response?.status}, a JSON object`, exchange);
    },
  },
  '4.1/token': {
    level: 'must',
    title: 'The response to token creation has `token`, a string',
    reference: '`act_` and 49 characters',
    async run(session) {
      const {exchange, body} = await created(session);
      const {token} = body;
      if (typeof token === 'string' && token !== '') return pass('`token` is a string', exchange);
      const found = token === undefined ? 'missing' : token === '' ? 'empty' : 'not a string';
      return fail(`\`token\` is ${found}`, exchange);
    },
  },
  '4.1/expires-at': {
    level: 'must',
    title: '`expires_at` is a time in ISO 8601 in UTC, with a trailing Z',
    reference: 'such as `2026-01-01T00:15:00.000Z`',
    async run(session) {
      const {exchange, body} = await created(session);
      const {expires_at: time} = body;
      if (time === undefined) return fail('`expires_at` is missing', exchange);
      if (typeof time !== 'string') return fail('`expires_at` is not a string', exchange);
      const isTime = utcTime.test(time) && readCreated(exchange).expiresAt !== undefined;
      if (isTime) return pass(`\`expires_at\` is ${time}`, exchange);
      return fail(`\`expires_at\` is "${time}", not a UTC time with a trailing Z`, exchange);
    },
  },
  '4.1/new-token': {
    level: 'must',
    title: 'Each call creates a new token',
    reference: '256 random bits per token',
    async run(session) {
      const first = await firstToken(session);
      const exchange = await session.call('createToken');
      responseOf(exchange);
      const {token} = readCreated(exchange);
      if (token === first.token) return fail('two calls returned the same token', exchange);
      return pass('two calls returned two tokens', exchange);
    },
  },
  '4.1/future-expiry': {
    title: '`expires_at` is later than the time of the response',
    reference: '15 minutes later',
    async run(session) {
      const {lifetime, exchange} = await firstToken(session);
      if (lifetime > 0) return pass(`it expires ${lifetime} s after the response`, exchange);
      if (Number.isNaN(lifetime))
        return skip('`expires_at`, or the `Date` to compare with, cannot be read', exchange);
      return fail(`the token had already expired when it was created, by ${-lifetime} s`, exchange);
    },
  },
  '4.1/unguessable': {
    title: 'A token has 16 characters or more',
    source: 'security practice: 64 bits cannot be guessed',
    reference: '53 characters with 256 random bits',
    async run(session) {
      const {token, exchange} = await firstToken(session);
      if (token.length >= 16) return pass(`${token.length} characters`, exchange);
      return fail(`the token has only ${token.length} characters`, exchange);
    },
  },
  '4.1/not-stored': {
    title: 'The response with the token has `Cache-Control: no-store`',
    source: 'RFC 9111 §5.2.2.5',
    reference: '`Cache-Control: no-store` on every response',
    async run(session) {
      const {exchange} = await firstToken(session);
      const control = exchange.response?.headers['cache-control'] ?? '';
      if (/\bno-store\b/i.test(control)) return pass('no-store', exchange);
      return fail(
        'the response has no `Cache-Control: no-store`, so a cache may keep the token',
        exchange,
      );
    },
  },
  '4.1/expires': {
    level: 'must',
    title: 'A token is not valid after its `expires_at`',
    source: 'interface §2',
    reference: '410, problem `token_expired`',
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
      const {exchange} = await session.activate({token, name: session.refusedName('expired')});
      return evaluateRefusal(session, exchange, 'a token was accepted after its `expires_at`');
    },
  },
});
