import {isLoopback, readSettings} from '../../client/settings.js';
import {clockTolerance} from '../../domain/time.js';
import {type Exchange, isClientError, isSuccess, isUnread, whyNoSuccess} from '../exchange.js';
import type {Table} from '../model.js';
import {type CheckOutcome, fail, Inconclusive, pass, responseOf, skip} from '../outcome.js';
import type {Session} from '../session.js';

/** @param subject what has the status. @throws Inconclusive without a response */
export function evaluateStatus(
  exchange: Exchange,
  isRight: (status: number) => boolean,
  subject: string,
): CheckOutcome {
  const {status} = responseOf(exchange);
  if (isRight(status)) return pass(`${status}`, exchange);
  return fail(`${subject} has the status ${status}`, exchange);
}

/** The status of the list. @throws Inconclusive when it cannot be read */
async function statusOfList(session: Session): Promise<number | undefined> {
  const {exchange} = await session.listing();
  if (isSuccess(exchange)) return exchange.response?.status;
  throw new Inconclusive('GET of the list fails, so there is nothing to compare', exchange);
}

/** A body that was perhaps not read. @throws Inconclusive */
function requireRead(exchange: Exchange): void {
  if (!isUnread(exchange)) return;
  const {status} = responseOf(exchange);
  throw new Inconclusive(`refused with ${status}, which says nothing about the body`, exchange);
}

/** Checks of requests, keys and connections as HTTP has them, whatever the operation. */
export const httpChecks: Table = {
  '4.2/invalid-json': {
    title: 'A body that is not JSON is refused with a status from 400 to 499',
    source: 'RFC 9110 §15.5.1',
    reference: '400, problem `body_malformed`',
    async run(session) {
      const exchange = await session.invalidJson();
      requireRead(exchange);
      const isRight = () => isClientError(exchange);
      return evaluateStatus(exchange, isRight, 'the response to invalid JSON');
    },
  },
  '5/scheme-case': {
    title: 'The scheme `Bearer` is accepted in lower and upper case',
    source: 'RFC 9110 §11.1',
    reference: 'any case',
    async run(session) {
      const {credential} = readSettings(session.options.client);
      const sent = credential?.header === 'authorization' ? credential.value : '';
      const [, key] = /^Bearer (.*)$/.exec(sent) ?? [];
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
  '5/challenge': {
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
  '5/tls': {
    title: 'The service is reached over HTTPS, unless it is on this machine',
    source: 'RFC 6750 §5.3',
    reference: 'plain HTTP on loopback only, unless the operator asks for more',
    async run({base}) {
      if (base.protocol === 'https:') return pass('HTTPS');
      if (isLoopback(base)) return pass('HTTP on this machine');
      return fail('anyone on the network can read keys and tokens that are sent over plain HTTP');
    },
  },
  '7/unknown-path': {
    title: 'A path that does not exist has the status 404',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `route_unknown`',
    async run(session) {
      const url = session.url('/api/conformance-no-such-path');
      const isRight = (status: number) => [401, 403, 404].includes(status);
      const exchange = await session.call('list', {url});
      return evaluateStatus(exchange, isRight, 'a path that does not exist');
    },
  },
  '8/large-body': {
    title: 'An activation with a body of 1 MiB does not make the service fail',
    source: 'RFC 9110 §15.5.14',
    reference: '413, problem `body_too_large`',
    async run(session) {
      const exchange = await session.largeBody();
      const {failure, response} = exchange;
      if (failure && !response && failure.reason !== 'timed-out')
        return pass(`the service closes the connection: ${failure.text}`, exchange);
      requireRead(exchange);
      return evaluateStatus(exchange, (status) => status < 500, 'the response to 1 MiB');
    },
  },
  'http/clock': {
    title: 'The clock of the service is right to a minute',
    source: 'interface §2: `expires_at` is by this clock',
    reference: 'the clock of its machine',
    async run(session) {
      const ahead = (await session.time.now()) - Date.now();
      const earliest = Date.now() + ahead - clockTolerance;
      const exchange = await session.call('list');
      const latest = Date.now() + ahead + clockTolerance;
      const time = responseOf(exchange).serverTime?.getTime();
      if (time === undefined) return skip('the response has no `Date` that can be read', exchange);
      if (time >= earliest && time <= latest)
        return pass('within a minute of this machine', exchange);
      const isBehind = time < earliest;
      const off = clockTolerance + (isBehind ? earliest - time : time - latest);
      return fail(
        `the clock of the service is ${Math.round(off / 1000)} s ${isBehind ? 'behind' : 'ahead of'} that of this machine`,
        exchange,
      );
    },
  },
  'http/head': {
    title: 'HEAD has the status of GET, and no body',
    source: 'RFC 9110 §9.3.2',
    reference: 'the headers of GET',
    async run(session) {
      const expected = await statusOfList(session);
      const exchange = await session.call('list', {method: 'HEAD'});
      const subject = `HEAD of the list, which GET returns with ${expected},`;
      return evaluateStatus(exchange, (status) => status === expected, subject);
    },
  },
  'http/trailing-query': {
    title: 'An unknown query parameter does not make the service fail',
    source: 'RFC 9110 §15.6.1',
    reference: 'it is ignored',
    async run(session) {
      await statusOfList(session);
      const exchange = await session.call('list', {
        url: session.url('/api/connectors?conformance=1'),
      });
      return evaluateStatus(exchange, (status) => status < 500, 'an unknown query parameter');
    },
  },
};
