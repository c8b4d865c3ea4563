import type {ServiceResponse} from '../../client/messages.js';
import {counted} from '../../domain/words.js';
import type {Exchange} from '../exchange.js';
import {type CheckRow, mapTable, type Table} from '../model.js';
import {fail, pass, skip} from '../outcome.js';
import {inventedToken, type Session} from '../session.js';

/** A check that each of several responses has a property. */
interface Property extends Omit<CheckRow, 'run'> {
  readonly of: (session: Session) => Promise<readonly Exchange[]>;
  /** Whether the property applies to a response; by default it applies to each. */
  readonly applies?: (exchange: Exchange, response: ServiceResponse) => boolean;
  /** The observation if the property applies to no response. */
  readonly none: string;
  /** The fault of a response; undefined without one. */
  readonly faultOf: (exchange: Exchange, response: ServiceResponse) => string | undefined;
}

/** All complete responses to operations except 429. Reads the list first, so that at least one was requested. */
async function all(session: Session): Promise<readonly Exchange[]> {
  await session.listing();
  return session.exchanges.filter((one) => one.failure === undefined && !one.isRateLimited);
}

/** The refusals among the responses to requests that a service has to refuse. */
async function refusals(session: Session): Promise<readonly Exchange[]> {
  const exchanges = [
    ...(session.options.mayWrite ? [await session.unknownToken()] : []),
    await session.unknownId(),
    await session.withoutKey(),
  ];
  return exchanges.filter((one) => one.isRefusal);
}

/** Whether a media type is JSON (RFC 8259 §11, RFC 6839 §3.1). */
const isJsonType = (type = ''): boolean => /^application\/([\w.-]+\+)?json$/.test(type);

const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

/** Matches the beginning of a stack trace of JavaScript (plain, or escaped in JSON), Python or Go. */
const stackTrace =
  /\n\s+at \S+ \(|\\n\s+at \S+ \(|Traceback \(most recent call last\)|goroutine \d+ \[/;

const properties: Table<Property> = {
  '7/status': {
    title: 'A refused request has a status from 400 to 499',
    source: 'RFC 9110 §15.5',
    reference: 'the status of its problem: 400, 401, 403, 404, 409, 410, 429',
    of: refusals,
    none: 'no request was refused',
    faultOf: (exchange, {status}) =>
      exchange.isClientError ? undefined : `a refused request has the status ${status}`,
  },
  '7/readable': {
    title: 'The body of an error is JSON or empty, not a web page',
    source: 'RFC 9457',
    reference: 'a problem document, application/problem+json',
    of: refusals,
    applies: (_, {status}) => status >= 400,
    none: 'no request was refused with an error status',
    faultOf(exchange, response) {
      if (response.body.length === 0) return undefined;
      if (exchange.isWebPage) return 'an error is a web page, which no program can read';
      if (exchange.json !== undefined) return undefined;
      return `an error is not JSON, which the clients of this interface read: ${exchange.description}`;
    },
  },
  '7/no-echo': {
    title: 'An error does not repeat the activation token',
    reference: 'no response repeats a secret',
    needs: ['writes'],
    of: async (session) => [await session.unknownToken()],
    applies: ({isRefusal}) => isRefusal,
    none: 'the token is not refused',
    faultOf: (_, {body}) =>
      body.includes(inventedToken)
        ? 'the response repeats the token that it refuses, so logs of errors hold tokens'
        : undefined,
  },
  '7/no-internals': {
    title: 'An error shows no stack trace',
    reference: 'a title, a detail and a code',
    of: async (session) => [...(await refusals(session)), await session.invalidJson()],
    applies: ({isRefusal}) => isRefusal,
    none: 'no request was refused',
    faultOf: (_, {body}) =>
      stackTrace.test(body.toString()) ? 'an error shows a stack trace' : undefined,
  },
  'http/content-type': {
    title: 'A body that is JSON has a media type of JSON',
    source: 'RFC 9110 §8.3',
    reference: 'application/json, application/problem+json',
    of: all,
    applies: (exchange) => typeof (exchange.json ?? undefined) === 'object',
    none: 'no body is JSON',
    faultOf({mediaType: type}) {
      const found = type === undefined ? 'no media type' : `the media type ${type}`;
      return isJsonType(type) ? undefined : `a body that is JSON has ${found}`;
    },
  },
  'http/valid-json': {
    title: 'A body with a media type of JSON is valid JSON',
    source: 'RFC 8259 §2',
    reference: 'JSON in every body',
    of: all,
    applies: ({mediaType}, {body, isTooLong}) =>
      body.length > 0 && !isTooLong && isJsonType(mediaType),
    none: 'no body has a media type of JSON',
    faultOf: (exchange) =>
      exchange.json === undefined
        ? 'a body with a media type of JSON is not valid JSON'
        : undefined,
  },
  'http/utf-8': {
    title: 'JSON is in UTF-8, without a byte order mark',
    source: 'RFC 8259 §8.1',
    reference: 'UTF-8 without a byte order mark',
    of: all,
    applies: (exchange) => exchange.json !== undefined,
    none: 'no body is JSON',
    faultOf(_, {body}) {
      try {
        const isMarked = decoder.decode(body).startsWith('\ufeff');
        return isMarked ? 'a JSON body begins with a byte order mark' : undefined;
      } catch {
        return 'a JSON body is not valid UTF-8';
      }
    },
  },
  'http/date': {
    title: 'Responses have a `Date`',
    source: 'RFC 9110 §6.6.1',
    reference: '`Date` in every response',
    of: all,
    applies: (_, {status}) => status < 500,
    none: 'no response below 500',
    faultOf: (_, {serverTime}) =>
      serverTime === undefined
        ? 'a response has no `Date`, so clients cannot tell its clock from theirs'
        : undefined,
  },
};

export const responseChecks = mapTable(properties, (property) => {
  const {of, applies = () => true, none, faultOf, ...check} = property;
  return {
    ...check,
    async run(session) {
      const seen = (await of(session)).flatMap((exchange) => {
        const {response} = exchange;
        return response && applies(exchange, response) ? [{exchange, response}] : [];
      });
      const [first] = seen;
      if (first === undefined) return skip(none);
      for (const {exchange, response} of seen) {
        const fault = faultOf(exchange, response);
        if (fault !== undefined) return fail(fault, exchange);
      }
      return pass(counted(seen.length, 'response'), first.exchange);
    },
  };
});
