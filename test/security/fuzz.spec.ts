import {expect} from 'chai';
import fc from 'fast-check';
import {openApiDocument} from '../../src/server/openapi/document.js';
import {eachWithService} from '../support/server/service.js';
import {anyCharacter} from '../support/values/any-character.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Operation {
  readonly parameters?: readonly {readonly name: string; in: string; readonly schema: Schema}[];
  readonly requestBody?: {readonly content: Record<string, {readonly schema: {$ref: string}}>};
}

const {paths, components} = openApiDocument() as {
  readonly components: {readonly schemas: Readonly<Record<string, Schema>>};
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, {parameters = [], requestBody}]) => {
    const reference = requestBody?.content['application/json']?.schema.$ref ?? '';
    const {properties} = components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
    return {method: method.toUpperCase(), path, parameters, properties};
  }),
);

/** Words in capitals stand for values of a running service. */
const hostileText = fc.oneof(
  fc.string({unit: anyCharacter, maxLength: 40}),
  fc.constantFrom('\u0000', '\ud800', '../..', '%2e%2e', '%00', '\u001b[2J', '__proto__', '🛰'),
  fc.constantFrom("' OR 1=1 --", 'OWN_ID', 'FOREIGN_ID', 'FRESH_TOKEN', 'ORGANIZATION_KEY'),
  fc.integer({min: 1, max: 2000}).map((length) => 'x'.repeat(length)),
);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, -0, Number.MAX_VALUE, Number.MIN_SAFE_INTEGER, 2 ** 60, [], {}),
  fc.double(),
  fc.jsonValue({maxDepth: 4}),
);

/** Values for a schema, mostly; some field names stand for a value of the running service. */
function valueFor(name: string, schema: Schema): fc.Arbitrary<unknown> {
  const fitting = (): fc.Arbitrary<unknown> => {
    if (name === 'token') return fc.constant('FRESH_TOKEN');
    if (name === 'id') return fc.constantFrom('OWN_ID', 'OWN_ID', 'FOREIGN_ID');
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    return schema.type === 'integer' || schema.type === 'number'
      ? fc.integer({min: schema.minimum ?? -1000, max: schema.maximum ?? 1000})
      : fc.string({unit: 'grapheme', minLength: 1, maxLength: 30});
  };
  return fc.oneof({weight: 4, arbitrary: fitting()}, {weight: 1, arbitrary: hostileValue});
}

/** A body of which fields may be missing, invalid or unknown, or that is no such body at all. */
function payloadOf(properties: Schema['properties']): fc.Arbitrary<string | Buffer | undefined> {
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) => [name, valueFor(name, schema)] as const,
  );
  const known = fc.record(Object.fromEntries(fields), {requiredKeys: []});
  const names = fc.oneof(fc.constantFrom('__proto__', 'constructor', ''), hostileText);
  const strange = fc.oneof(
    {weight: 3, arbitrary: fc.constant({})},
    fc.dictionary(names, hostileValue, {maxKeys: 3}),
  );
  const noBody = fc.oneof(
    fc.constantFrom('', 'null', '[]', '"text"', '{"n":1e999}', '{"name":"\\ud800"}', '\ufeff{}'),
    fc.constantFrom('{"a":1,}', "{'a':1}", '{"a":1,"a":2}', `{"name":"${'x'.repeat(1_000_000)}"}`),
    fc.integer({min: 1, max: 8000}).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc.uint8Array({maxLength: 80}).map((array) => Buffer.from(array)),
  );
  const body = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(known, strange).map((all) => JSON.stringify(Object.assign({}, ...all))),
    },
    {weight: 3, arbitrary: noBody},
  );
  return fc.option(body, {nil: undefined, freq: properties === undefined ? 1 : 9});
}

/** Percent-encodes characters that a request line cannot contain. */
function looselyEncoded(value: unknown): string {
  // A generated object may have a `toString` that is not a function.
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/\p{Cs}/gu, '').replace(/[^\x21-\x7e]|[?#]/gu, encodeURIComponent);
}

function urlOf({path, parameters}: (typeof operations)[number]): fc.Arbitrary<string> {
  const values = parameters.map(({name, schema}) =>
    fc.option(valueFor(name, schema), {nil: '', freq: 6}).map(looselyEncoded),
  );
  const filled = fc.tuple(...values).map((texts) => {
    let url = path;
    const query: string[] = [];
    for (const [at, {name, in: place}] of parameters.entries()) {
      if (place === 'path') url = url.replace(`{${name}}`, texts[at] ?? '');
      if (place === 'query') query.push(`${name}=${texts[at]}`);
    }
    return query.length === 0 ? url : `${url}?${query.join('&')}`;
  });
  const strange = fc.constantFrom('/', '/%', '/%zz', '/api//connectors', '/api/connectors/..%2f..');
  return fc.oneof({weight: 12, arbitrary: filled}, {weight: 1, arbitrary: strange});
}

const headers = fc.dictionary(
  fc.constantFrom(
    ...['content-type', 'content-encoding', 'idempotency-key', 'x-api-key', 'accept', 'range'],
    ...['accept-encoding', 'if-none-match', 'origin', 'x-forwarded-for', 'cookie', 'host'],
  ),
  fc.oneof(
    fc.string({maxLength: 30}).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim()),
    fc.constantFrom('text/plain; charset=utf-7', 'multipart/form-data', 'gzip'),
  ),
  {maxKeys: 3},
);
const keys = fc.constantFrom('ORGANIZATION_KEY', 'CONNECTOR_KEY', 'ORGANIZATION_KEY a', '');
const otherMethods = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE');

/** Each operation of the document with values that match its schemas, and with values that do not. */
const requests = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    method: fc.oneof(
      {weight: 8, arbitrary: fc.constant(operation.method)},
      {weight: 2, arbitrary: otherMethods},
    ),
    url: urlOf(operation),
    headers: fc
      .tuple(fc.oneof({weight: 3, arbitrary: fc.constant({})}, headers), keys)
      .map(([more, key]) => ({
        'content-type': 'application/json',
        ...more,
        ...(key !== '' && {authorization: `Bearer ${key}`}),
      })),
    payload: payloadOf(operation.properties),
  }),
);

describe('fuzzed requests', () => {
  const suite = eachWithService({activationFailureLimit: Number.POSITIVE_INFINITY});

  it('get documented responses, and never data of another organization', async () => {
    const {service} = suite;
    const {id, key} = await service.connector();
    const otherKey = await service.addKey('umbrella');
    const foreign = await service.connector('their-secret-name', {key: otherKey});
    const live = new Map([
      ['OWN_ID', id],
      ['FOREIGN_ID', foreign.id],
      ['ORGANIZATION_KEY', service.key],
      ['CONNECTOR_KEY', key],
      ['FRESH_TOKEN', await service.token()],
    ]);
    const filled = (text: string) =>
      [...live].reduce((result, [word, value]) => result.replaceAll(word, value), text);
    const answers = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests, async ({method, url, headers: sent, payload}) => {
        // It asserts that the document describes the response.
        const response = await service.send({
          method,
          url: filled(url),
          headers: JSON.parse(filled(JSON.stringify(sent))),
          ...(payload !== undefined && {
            payload: typeof payload === 'string' ? filled(payload) : payload,
          }),
        });
        const {statusCode, payload: body} = response;
        answers.add(`${method} ${statusCode}`);
        if (statusCode === 201) live.set('FRESH_TOKEN', await service.token());
        expect(statusCode, body).to.be.within(200, 499);
        expect(body).not.to.include('their-secret-name').and.not.include('umbrella');
      }),
      {numRuns: 2000, seed: 1, endOnFailure: true},
    );
    // Guards against a run in which every request is refused early.
    expect([...answers]).to.include.members([
      ...['GET 200', 'POST 200', 'POST 201', 'POST 400', 'POST 413'],
    ]);
  });
});
