import {clockTolerance} from '../../domain/time.js';
import {type Exchange, isSuccess, isUnread, jsonOf, mediaType} from '../exchange.js';
import type {Check} from '../model.js';
import {evaluateEach, fail, pass, responseOf, skip, unread} from '../outcome.js';
import type {Session} from '../session.js';

/** All complete responses to operations. Reads the list first, so that there is at least one. */
async function ofInterface(session: Session): Promise<Exchange[]> {
  await session.listing();
  return session.exchanges.filter(
    ({call, response, failure}) =>
      call.operation !== undefined && response !== undefined && failure === undefined,
  );
}

/** Whether a media type is one of JSON (RFC 8259 §11, RFC 6839 §3.1). */
const isJsonType = (type = ''): boolean => /^application\/([\w.-]+\+)?json$/.test(type);

export const httpChecks: readonly Check[] = [
  {
    id: 'http/content-type',
    level: 'should',
    title: 'A body that is JSON has a media type of JSON',
    source: 'RFC 9110 §8.3',
    reference: 'application/json, application/problem+json',
    async run(session) {
      const withJson = (await ofInterface(session)).filter(
        (exchange) => typeof jsonOf(exchange) === 'object' && jsonOf(exchange) !== null,
      );
      return evaluateEach(withJson, ['response', 'no body is JSON'], ({response}) => {
        const type = response && mediaType(response);
        const found = type === undefined ? 'no media type' : `the media type ${type}`;
        return isJsonType(type) ? undefined : `a body that is JSON has ${found}`;
      });
    },
  },
  {
    id: 'http/valid-json',
    level: 'should',
    title: 'A body with a media type of JSON is valid JSON',
    source: 'RFC 8259 §2',
    reference: 'JSON in every body',
    async run(session) {
      const declared = (await ofInterface(session)).filter(
        ({call, response}) =>
          response !== undefined &&
          response.body.length > 0 &&
          !response.isCut &&
          call.method !== 'HEAD' &&
          isJsonType(mediaType(response)),
      );
      const names = ['response', 'no body has a media type of JSON'] as const;
      return evaluateEach(declared, names, (exchange) =>
        jsonOf(exchange) === undefined
          ? 'a body with a media type of JSON is not valid JSON'
          : undefined,
      );
    },
  },
  {
    id: 'http/utf-8',
    level: 'should',
    title: 'JSON is in UTF-8, without a byte order mark',
    source: 'RFC 8259 §8.1',
    reference: 'UTF-8 without a byte order mark',
    async run(session) {
      const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});
      const withJson = (await ofInterface(session)).filter(
        (exchange) => jsonOf(exchange) !== undefined,
      );
      return evaluateEach(withJson, ['response', 'no body is JSON'], ({response}) => {
        try {
          const isMarked = decoder.decode(response?.body).startsWith('\ufeff');
          return isMarked ? 'a JSON body begins with a byte order mark' : undefined;
        } catch {
          return 'a JSON body is not valid UTF-8';
        }
      });
    },
  },
  {
    id: 'http/date',
    level: 'should',
    title: 'Responses have a `Date`',
    source: 'RFC 9110 §6.6.1',
    reference: '`Date` in every response',
    async run(session) {
      const seen = (await ofInterface(session)).filter(
        ({response}) => (response?.status ?? 500) < 500,
      );
      return evaluateEach(seen, ['response', 'no response below 500'], ({response}) =>
        response?.serverTime === undefined
          ? 'a response has no `Date`, so clients cannot tell its clock from theirs'
          : undefined,
      );
    },
  },
  {
    id: 'http/clock',
    level: 'should',
    title: 'The clock of the service is right to a minute',
    source: 'interface §2: `expires_at` is by this clock',
    reference: 'the clock of its machine',
    async run(session) {
      const seen = (await ofInterface(session)).filter(({response}) => response?.serverTime);
      if (seen.length === 0) return skip('no response has a `Date` that can be read');
      const ahead = (await session.time.now()) - Date.now();
      const read = Math.abs(ahead) < clockTolerance ? seen : [await session.call('list')];
      for (const exchange of read) {
        const {serverTime, receivedAt = 0} = exchange.response ?? {};
        const off = serverTime === undefined ? 0 : serverTime.getTime() - receivedAt - ahead;
        if (Math.abs(off) <= clockTolerance) continue;
        return fail(
          `the clock of the service is ${Math.round(Math.abs(off) / 1000)} s ${off > 0 ? 'ahead of' : 'behind'} that of this machine`,
          exchange,
        );
      }
      return pass('within a minute of this machine', seen[0]);
    },
  },
  {
    id: 'http/head',
    level: 'should',
    title: 'HEAD has the status of GET, and no body',
    source: 'RFC 9110 §9.3.2',
    reference: 'the headers of GET',
    async run(session) {
      const {exchange: get} = await session.listing();
      const exchange = await session.call('list', {method: 'HEAD'});
      if (!isSuccess(get))
        return skip('GET of the list fails, so there is nothing to compare', get);
      const {status} = responseOf(exchange);
      const expected = responseOf(get).status;
      if (status === expected) return pass(`${status}`, exchange);
      return fail(`HEAD of the list has the status ${status}, GET has ${expected}`, exchange);
    },
  },
  {
    id: 'http/trailing-query',
    level: 'should',
    title: 'An unknown query parameter does not make the service fail',
    source: 'RFC 9110 §15.6.1',
    reference: 'it is ignored',
    async run(session) {
      const exchange = await session.request('GET', '/api/connectors?conformance=1');
      const {exchange: get} = await session.listing();
      if (!isSuccess(get))
        return skip('GET of the list fails, so there is nothing to compare', get);
      const {status} = responseOf(exchange);
      if (status < 500) return pass(`${status}`, exchange);
      return fail(`an unknown query parameter causes the status ${status}`, exchange);
    },
  },
  {
    id: '8/large-body',
    level: 'should',
    title: 'An activation with a body of 1 MiB does not make the service fail',
    source: 'RFC 9110 §15.5.14',
    reference: '413, problem `body_too_large`',
    async run(session) {
      const exchange = await session.largeBody();
      const {failure} = exchange;
      const isClosed = exchange.response === undefined && failure?.reason !== 'timed-out';
      if (failure !== undefined && isClosed)
        return pass(`the service closes the connection: ${failure.text}`, exchange);
      const response = responseOf(exchange);
      if (isUnread(exchange)) return skip(unread(response.status), exchange);
      if (response.status < 500) return pass(`${response.status}`, exchange);
      return fail(`a body of 1 MiB causes the status ${response.status}`, exchange);
    },
  },
];
