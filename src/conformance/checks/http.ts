import {isLoopback, readSettings} from '../../client/settings.js';
import {clockTolerance} from '../../domain/time.js';
import type {Exchange} from '../exchange.js';
import type {Table} from '../model.js';
import {fail, Inconclusive, pass, responseOf, skip} from '../outcome.js';

/** The status of a response to a body. @throws Inconclusive without a response, and where the body was perhaps not read */
function statusOfBody(exchange: Exchange): number {
  const {status} = responseOf(exchange);
  if (!exchange.isUnread) return status;
  throw new Inconclusive(`refused with ${status}, which says nothing about the body`, exchange);
}

/** Checks of HTTP rules for requests, keys and connections, which apply to every operation. */
export const httpChecks: Table = {
  '4.2/invalid-json': {
    title: 'A body that is not JSON is refused with a status from 400 to 499',
    source: 'RFC 9110 §15.5.1',
    reference: '400, problem `body_malformed`',
    async run(session) {
      const exchange = await session.invalidJson();
      const status = statusOfBody(exchange);
      if (exchange.isClientError) return pass(`${status}`, exchange);
      return fail(`the response to invalid JSON has the status ${status}`, exchange);
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
      const refusal = (await session.listing()).exchange.whyNoSuccess;
      if (refusal !== undefined) return skip(`the list cannot be read: ${refusal}`);
      for (const scheme of ['bearer', 'BEARER']) {
        const headers = {authorization: `${scheme} ${key}`};
        const exchange = await session.call('list', {key: 'none', headers});
        responseOf(exchange);
        if (!exchange.isSuccess)
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
      const exchange = await session.call('list', {url});
      const {status} = responseOf(exchange);
      if ([401, 403, 404].includes(status)) return pass(`${status}`, exchange);
      return fail(`a path that does not exist has the status ${status}`, exchange);
    },
  },
  '8/large-body': {
    title: 'An activation with a body of 1 MiB does not make the service fail',
    source: 'RFC 9110 §15.5.14',
    reference: '413, problem `body_too_large`',
    async run(session) {
      const exchange = await session.call('activate', {body: 'x'.repeat(1024 * 1024)});
      const {failure, response} = exchange;
      if (failure && !response && failure.reason !== 'timed-out')
        return pass(`the service closes the connection: ${failure.text}`, exchange);
      const status = statusOfBody(exchange);
      if (status < 500) return pass(`${status}`, exchange);
      return fail(`a body of 1 MiB causes the status ${status}`, exchange);
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
};
