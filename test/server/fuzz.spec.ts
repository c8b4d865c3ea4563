import {expect} from 'chai';
import fc from 'fast-check';
import {operations, routes} from '../../src/contract/index.js';
import {eachWithService} from '../support/server/service.js';

const nasty = fc.constantFrom(
  '\u0000',
  '\ud800',
  '../..',
  '%2e%2e%2f',
  '\u001b[2J',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  'x'.repeat(5000),
  '🛰',
);
const text = fc.oneof(fc.string({unit: 'binary', maxLength: 40}), nasty);

/** Values for a field, some of them of the right type. */
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, Number.MAX_VALUE, -0, 2 ** 60),
  fc.jsonValue({maxDepth: 3}),
);
const fields = fc.dictionary(
  fc.constantFrom('token', 'name', 'ttl_seconds', 'description', '__proto__', 'constructor'),
  value,
);
const deep = fc.integer({min: 1, max: 8000}).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const body = fc.oneof(
  fields.map((object) => JSON.stringify(object)),
  fc.tuple(fields, fc.nat(40)).map(([object, cut]) => JSON.stringify(object).slice(0, cut)),
  deep,
  fc.uint8Array({maxLength: 60}).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    '{"n":1e999}',
    '{"name":"a","name":"b"}',
    '\ufeff{}',
    'null',
    '{"token":"\\ud800"}',
  ),
  fc.nat(40_000).map((length) => 'x'.repeat(length)),
);

const segment = fc.oneof(
  text,
  fc.constantFrom('con_', '.', '..', '%', '%2f', 'create-token'),
  fc.constantFrom('OWN', 'FOREIGN'),
);
const url = fc
  .tuple(fc.constantFrom(...operations), segment, fc.option(fc.tuple(text, text)))
  .map(([operation, id, parameter]) => {
    const path = routes[operation].path.replace('{id}', encodeLoosely(id));
    if (parameter === null) return path;
    return `${path}?limit=${encodeLoosely(parameter[0])}&cursor=${encodeLoosely(parameter[1])}`;
  });
const method = fc.oneof(
  fc.constantFrom('GET', 'POST'),
  fc.constantFrom('HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'),
);
const headerValue = fc.string({maxLength: 30}).map((raw) => raw.replace(/[^\x20-\x7e]/g, ''));
const headers = fc.dictionary(
  fc.constantFrom('content-type', 'idempotency-key', 'x-api-key', 'accept', 'range', 'origin'),
  headerValue,
);

/** Percent-encodes characters that a request line cannot contain. */
function encodeLoosely(raw: string): string {
  return raw.replace(/\p{Cs}/gu, '').replace(/[^\x21-\x7e]|[?#/]/gu, encodeURIComponent);
}

describe('any request', () => {
  const suite = eachWithService({activationFailureLimit: Number.POSITIVE_INFINITY});

  it('gets a documented response, and never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({url, method, headers, payload: fc.option(body, {nil: undefined})}),
        fc.constantFrom('organization', 'connector', 'none'),
        async (request, who) => {
          const {service} = suite;
          const keys = {organization: service.key, connector: connectorKey, none: ''};
          const authorization = {authorization: `Bearer ${keys[who]}`};
          const {payload, ...rest} = request;
          const response = await service.send({
            ...rest,
            url: rest.url.replace('OWN', ownId).replace('FOREIGN', foreignId),
            headers: {...request.headers, ...(who === 'none' ? {} : authorization)},
            ...(payload === undefined ? {} : {payload}),
          });
          responded.add(`${request.method} ${response.statusCode}`);
          expect(response.statusCode).to.be.within(200, 499);
          expect(response.payload).not.to.include(foreignId);
        },
      ),
      {numRuns: 1500},
    );
    // Guards against a run in which every request is refused early.
    expect([...responded]).to.include.members(['GET 200', 'POST 200', 'POST 201', 'POST 400']);
  });

  const responded = new Set<string>();
  let ownId: string;
  let connectorKey: string;
  let foreignId: string;
  beforeEach(async () => {
    const {service} = suite;
    ({id: ownId, key: connectorKey} = await service.connector());
    const key = await service.addKey('other');
    foreignId = (await service.connector('theirs', {key})).id;
  });
});
