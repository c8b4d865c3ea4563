import {expect} from 'chai';
import fc from 'fast-check';
import {openApiDocument} from '../../src/server/openapi/document.js';
import {anyCharacter} from '../support/any-character.js';
import {eachWithService} from '../support/server/service.js';

/**
 * Requests generated from the OpenAPI document: each operation with values that match its schemas, and with values
 * that do not. Words in capitals stand for values of a running service.
 */
interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The parts of the document from which requests are generated. */
interface Document {
  readonly components: {readonly schemas: Readonly<Record<string, Schema>>};
  readonly paths: Record<
    string,
    Record<
      string,
      {
        parameters?: readonly {name: string; in: string; schema: Schema}[];
        requestBody?: {content: Record<string, {schema: {$ref: string}}>};
      }
    >
  >;
}

const {paths, components} = openApiDocument() as Document;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, {parameters = [], requestBody}]) => {
    const reference = requestBody?.content['application/json']?.schema.$ref ?? '';
    const body = components.schemas[reference.split('/').at(-1) ?? ''];
    return {method: method.toUpperCase(), path, parameters, body};
  }),
);

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
    if (schema.type === 'object') return fc.constant({});
    return schema.type === 'integer' || schema.type === 'number'
      ? fc.integer({min: schema.minimum ?? -1000, max: schema.maximum ?? 1000})
      : fc.string({unit: 'grapheme', minLength: 1, maxLength: 30});
  };
  return fc.oneof({weight: 4, arbitrary: fitting()}, {weight: 1, arbitrary: hostileValue});
}

/** An object as JSON text, in which fields may be missing, invalid, or repeated. */
function objectText({properties = {}}: Schema = {}): fc.Arbitrary<string> {
  const known = Object.entries(properties).map(([name, schema]) =>
    fc.option(fc.tuple(fc.constant(name), valueFor(name, schema)), {freq: 8}),
  );
  const names = fc.constantFrom('__proto__', 'constructor', '', ...Object.keys(properties));
  const strange = fc.tuple(fc.oneof(names, hostileText), hostileValue);
  const member = ([name, value]: readonly [string, unknown]) =>
    `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`;
  return fc
    .tuple(
      fc.tuple(...known),
      fc.oneof({weight: 3, arbitrary: fc.constant([])}, fc.array(strange, {maxLength: 3})),
    )
    .map(([fields, more]) => [...fields.filter((field) => field !== null), ...more])
    .map((members) => `{${members.map(member).join(',')}}`);
}

const noObject = fc.oneof(
  fc.constantFrom('', 'null', '[]', '"text"', '{"n":1e999}', '{"name":"\\ud800"}', '\ufeff{}'),
  fc.constantFrom('{"a":1,}', "{'a':1}", `{"name":"${'x'.repeat(1_000_000)}"}`),
  fc.integer({min: 1, max: 8000}).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.nat(40_000).map((length) => ' '.repeat(length)),
);

function payloadOf(schema: Schema | undefined): fc.Arbitrary<FuzzRequest['payload']> {
  const text = fc.oneof(
    {weight: 8, arbitrary: objectText(schema)},
    {weight: 2, arbitrary: noObject},
    {weight: 1, arbitrary: fc.uint8Array({maxLength: 80}).map((array) => Buffer.from(array))},
  );
  return fc.option(text, {nil: undefined, freq: schema === undefined ? 1 : 9});
}

/** Percent-encodes characters that a request line cannot contain. */
function looselyEncoded(value: unknown): string {
  // A generated object may have a `toString` that is not a function.
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/\p{Cs}/gu, '').replace(/[^\x21-\x7e]|[?#]/gu, encodeURIComponent);
}

function urlOf({path, parameters}: (typeof operations)[number]): fc.Arbitrary<string> {
  const values = fc.tuple(
    ...parameters.map(({name, schema}) => fc.option(valueFor(name, schema), {nil: '', freq: 6})),
  );
  const filled = values.map((texts) => {
    let url = path;
    const query: string[] = [];
    for (const [at, {name, in: place}] of parameters.entries()) {
      const text = looselyEncoded(texts[at]);
      if (place === 'path') url = url.replace(`{${name}}`, text);
      if (place === 'query') query.push(`${name}=${text}`);
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
const authorizations = fc.constantFrom(
  ...['Bearer ORGANIZATION_KEY', 'Bearer ORGANIZATION_KEY', 'Bearer CONNECTOR_KEY'],
  ...['Basic eDp5', 'Bearer ORGANIZATION_KEY ORGANIZATION_KEY', ''],
);
const otherMethods = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE');

const requests: fc.Arbitrary<FuzzRequest> = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    method: fc.oneof(
      {weight: 8, arbitrary: fc.constant(operation.method)},
      {weight: 2, arbitrary: otherMethods},
    ),
    url: urlOf(operation),
    headers: fc
      .tuple(fc.oneof({weight: 3, arbitrary: fc.constant({})}, headers), authorizations)
      .map(([more, authorization]) => ({
        'content-type': 'application/json',
        ...more,
        ...(authorization !== '' && {authorization}),
      })),
    payload: payloadOf(operation.body),
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
