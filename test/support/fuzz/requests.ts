import fc from 'fast-check';
import {openApiDocument} from '../../../src/server/openapi/document.js';

/**
 * Requests generated from the OpenAPI document: each operation with values that match its schemas, and
 * with values that do not. Words in capitals stand for values of a running service; see `#fill`.
 */

/** A request before it is encoded. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
  /** How the headers announce the length of the body, correctly or not. */
  readonly framing: 'length' | 'chunked' | 'short' | 'long' | 'both';
  readonly who: 'ORGANIZATION_KEY' | 'CONNECTOR_KEY' | 'nobody';
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {name: string; in: string; schema: Schema}[];
  readonly body: Schema | undefined;
}

/** The parts of the document from which requests are generated. */
interface Document {
  readonly components: {readonly schemas: Readonly<Record<string, Schema>>};
  readonly paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Operation['parameters'];
        requestBody?: {content: Record<string, {schema: {$ref: string}}>};
      }
    >
  >;
}

const {paths, components} = openApiDocument() as Document;

/** The schema of a reference. */
const resolved = (reference: string): Schema | undefined =>
  components.schemas[reference.split('/').at(-1) ?? ''];

const described: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    // Other methods are tried on every path separately.
    .filter(([method]) => method !== 'head' && method !== 'options')
    .map(([method, {parameters = [], requestBody}]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: resolved(requestBody?.content['application/json']?.schema.$ref ?? ''),
    })),
);

const hostileText = fc.oneof(
  fc.string({unit: 'binary', maxLength: 40}),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '../..',
    '..%2f..%2f',
    '%2e%2e',
    '%00',
    '\u001b[2J',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    '\u202ename',
    '🛰',
    'OWN_ID',
    'FOREIGN_ID',
    'FRESH_TOKEN',
    'ORGANIZATION_KEY',
  ),
  fc.integer({min: 1, max: 2000}).map((length) => 'x'.repeat(length)),
);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(
    null,
    true,
    false,
    -0,
    Number.MAX_VALUE,
    Number.MIN_SAFE_INTEGER,
    2 ** 60,
    [],
    {},
  ),
  fc.double(),
  fc.jsonValue({maxDepth: 4}),
);

/** Values for a schema; some field names stand for a value of the running service. */
function fitting(name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (name === 'token') return fc.constant('FRESH_TOKEN');
  if (name === 'id') return fc.constantFrom('OWN_ID', 'OWN_ID', 'FOREIGN_ID');
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return fc.integer({min: schema.minimum ?? -1000, max: schema.maximum ?? 1000});
    case 'object':
      return fc.constant({});
    default:
      return fc.string({unit: 'grapheme', minLength: 1, maxLength: 30});
  }
}

const mostly = (name: string, schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({weight: 4, arbitrary: fitting(name, schema)}, {weight: 1, arbitrary: hostileValue});

/** An object as JSON text, in which fields may be missing, invalid, or repeated. */
function objectText({properties = {}}: Schema): fc.Arbitrary<string> {
  const known = Object.entries(properties).map(([name, schema]) =>
    fc.option(fc.tuple(fc.constant(name), mostly(name, schema)), {freq: 8}),
  );
  const strange = fc.tuple(
    fc.oneof(
      fc.constantFrom('__proto__', 'constructor', '', ...Object.keys(properties)),
      hostileText,
    ),
    hostileValue,
  );
  return fc
    .tuple(
      fc.tuple(...known),
      fc.oneof({weight: 3, arbitrary: fc.constant([])}, fc.array(strange, {maxLength: 3})),
    )
    .map(([fields, more]) => {
      const all = [...fields.filter((field) => field !== null), ...more];
      const member = ([name, value]: readonly [string, unknown]) =>
        `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`;
      return `{${all.map(member).join(',')}}`;
    });
}

const noObject = fc.oneof(
  fc.constantFrom(
    '',
    'null',
    '[]',
    '"text"',
    '{"n":1e999}',
    '{"name":"\\ud800"}',
    '\ufeff{}',
    '{"a":1,}',
    "{'a':1}",
    `{"name":"${'x'.repeat(1_000_000)}"}`,
  ),
  fc.integer({min: 1, max: 8000}).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({min: 1, max: 1500}).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.nat(40_000).map((length) => ' '.repeat(length)),
);

function bodyOf(schema: Schema | undefined): fc.Arbitrary<Buffer | undefined> {
  const bytes = fc.oneof(
    {weight: 8, arbitrary: objectText(schema ?? {}).map((text) => Buffer.from(text))},
    {weight: 2, arbitrary: noObject.map((text) => Buffer.from(text))},
    {weight: 1, arbitrary: fc.uint8Array({maxLength: 80}).map((array) => Buffer.from(array))},
    {
      weight: 1,
      arbitrary: fc
        .tuple(objectText(schema ?? {}), fc.nat(60))
        .map(([text, cut]) => Buffer.from(text).subarray(0, cut)),
    },
  );
  return fc.option(bytes, {nil: undefined, freq: schema === undefined ? 1 : 9});
}

/** Percent-encodes characters that a request line cannot contain. */
function looselyEncoded(text: string): string {
  return text.replace(/\p{Cs}/gu, '').replace(/[^\x21-\x7e]|[?#]/gu, encodeURIComponent);
}

function targetOf({path, parameters}: Operation): fc.Arbitrary<string> {
  const values = fc.tuple(
    ...parameters.map(({name, in: place, schema}) =>
      fc.tuple(fc.constant({name, place}), fc.option(mostly(name, schema), {nil: '', freq: 6})),
    ),
  );
  const filled = values.map((filled) => {
    let target = path;
    const query: string[] = [];
    for (const [{name, place}, value] of filled) {
      // A generated object may have a `toString` that is not a function.
      const text = looselyEncoded(
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      );
      if (place === 'path') target = target.replace(`{${name}}`, text);
      if (place === 'query') query.push(`${name}=${text}`);
    }
    return query.length === 0 ? target : `${target}?${query.join('&')}`;
  });
  const strange = fc.constantFrom(
    '/',
    '//',
    '/%',
    '/%zz',
    '/api//connectors',
    '*',
    '/.well-known/x',
    '/api/connectors/..%2f..',
  );
  return fc.oneof({weight: 12, arbitrary: filled}, {weight: 1, arbitrary: strange});
}

const headerValue = fc
  .string({maxLength: 30})
  .map((text) => text.replace(/[^\x20-\x7e]/g, '').trim());
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'Content-Type',
      'Idempotency-Key',
      'X-API-Key',
      'Authorization',
      'Accept',
      'Accept-Encoding',
      'Range',
      'If-None-Match',
      'Origin',
      'X-Forwarded-For',
      'X-HTTP-Method-Override',
      'Cookie',
      'Upgrade',
      'Host',
    ),
    headerValue,
  ),
  fc.constantFrom<[string, string]>(
    ['Content-Type', 'text/plain; charset=utf-7'],
    ['Content-Type', 'multipart/form-data'],
    ['Content-Encoding', 'gzip'],
    ['Expect', '100-continue'],
    ['Authorization', 'Basic eDp5'],
    ['Authorization', 'Bearer ORGANIZATION_KEY ORGANIZATION_KEY'],
    ['X-Large', 'x'.repeat(20_000)],
    ['Bad Name', 'x'],
  ),
);

const method = (own: string) =>
  fc.oneof(
    {weight: 8, arbitrary: fc.constant(own)},
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'GET',
        'POST',
        'HEAD',
        'OPTIONS',
        'TRACE',
        'PUT',
        'PATCH',
        'DELETE',
        'PROPFIND',
      ),
    },
  );

/** Any request to an operation of the document, or to a similar path. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .constantFrom(...described)
  .chain((operation) =>
    fc.record({
      method: method(operation.method),
      target: targetOf(operation),
      headers: fc.oneof({weight: 3, arbitrary: fc.constant([])}, fc.array(header, {maxLength: 4})),
      body: bodyOf(operation.body),
      framing: fc.oneof(
        {weight: 12, arbitrary: fc.constant<FuzzRequest['framing']>('length')},
        {weight: 2, arbitrary: fc.constant<FuzzRequest['framing']>('chunked')},
        {weight: 1, arbitrary: fc.constantFrom<FuzzRequest['framing']>('short', 'long', 'both')},
      ),
      who: fc.constantFrom('ORGANIZATION_KEY', 'ORGANIZATION_KEY', 'CONNECTOR_KEY', 'nobody'),
    }),
  );
