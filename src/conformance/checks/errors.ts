import {describe, type Exchange, isClientError, isRefusal, isWebPage, jsonOf} from '../exchange.js';
import type {Check} from '../model.js';
import {evaluateEach, fail, pass, responseOf, skip} from '../outcome.js';
import {inventedToken, type Session} from '../session.js';

/** Sends requests that a service has to refuse, and returns the exchanges in which it did. */
async function refusals(session: Session): Promise<Exchange[]> {
  const exchanges = [
    ...(session.options.mayWrite ? [await session.unknownToken()] : []),
    await session.unknownId(),
    await session.withoutKey(),
  ];
  return exchanges.filter((exchange) => isRefusal(exchange));
}

export const errorChecks: readonly Check[] = [
  {
    id: '7/status',
    level: 'should',
    title: 'A refused request has a status from 400 to 499',
    source: 'RFC 9110 §15.5',
    reference: 'the status of its problem: 400, 401, 403, 404, 409, 410, 429',
    async run(session) {
      const names = ['refusal', 'no request was refused'] as const;
      return evaluateEach(await refusals(session), names, (exchange) =>
        isClientError(exchange)
          ? undefined
          : `a refused request has the status ${exchange.response?.status}`,
      );
    },
  },
  {
    id: '7/readable',
    level: 'should',
    title: 'The body of an error is JSON or empty, not a web page',
    source: 'RFC 9457',
    reference: 'a problem document, application/problem+json',
    async run(session) {
      const seen = (await refusals(session)).filter(({response}) => (response?.status ?? 0) >= 400);
      const names = ['refusal', 'no request was refused with an error status'] as const;
      return evaluateEach(seen, names, (exchange) => {
        const {response} = exchange;
        if (response === undefined || response.body.length === 0) return undefined;
        if (isWebPage(response)) return 'an error is a web page, which no program can read';
        if (jsonOf(exchange) !== undefined) return undefined;
        return `an error is not JSON, which the clients of this interface read: ${describe(exchange)}`;
      });
    },
  },
  {
    id: '7/no-echo',
    level: 'should',
    title: 'An error does not repeat the activation token',
    source: 'security practice',
    reference: 'no response repeats a secret',
    needs: ['writes'],
    async run(session) {
      const exchange = await session.unknownToken();
      const {body} = responseOf(exchange);
      if (!isRefusal(exchange)) return skip('the token is not refused', exchange);
      if (!body.includes(inventedToken)) return pass('it does not', exchange);
      return fail(
        'the response repeats the token that it refuses, so logs of errors hold tokens',
        exchange,
      );
    },
  },
  {
    id: '7/no-internals',
    level: 'should',
    title: 'An error shows no stack trace',
    source: 'security practice',
    reference: 'a title, a detail and a code',
    async run(session) {
      const seen = [...(await refusals(session)), await session.invalidJson()].filter(isRefusal);
      const stack =
        /\n\s+at \S+ \(|\\n\s+at \S+ \(|Traceback \(most recent call last\)|goroutine \d+ \[/;
      return evaluateEach(seen, ['error', 'no request was refused'], ({response}) =>
        stack.test(response?.body.toString() ?? '') ? 'an error shows a stack trace' : undefined,
      );
    },
  },
  {
    id: '7/unknown-path',
    level: 'should',
    title: 'A path that does not exist has the status 404',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `route_unknown`',
    async run(session) {
      const exchange = await session.request('GET', '/api/conformance-no-such-path');
      const {status} = responseOf(exchange);
      if ([401, 403, 404].includes(status)) return pass(`${status}`, exchange);
      return fail(`a path that does not exist has the status ${status}`, exchange);
    },
  },
];
