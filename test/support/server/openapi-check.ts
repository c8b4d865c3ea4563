import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {expect} from 'chai';
import type {LightMyRequestResponse} from 'fastify';
import {openApiDocument} from '../../../src/server/openapi/document.js';

/** The parts of the document that the check uses. */
interface Document {
  components: {schemas: Record<string, {properties?: object}>};
  paths: Record<string, Record<string, {responses: Record<string, {content?: object}>}>>;
}

const document = openApiDocument() as Document;
// Clients ignore unknown fields. The tests refuse them, because such a field may be a leak.
for (const schema of Object.values(document.components.schemas)) {
  if (schema.properties !== undefined) Object.assign(schema, {additionalProperties: false});
}
const root = 'openapi';
const ajv = new Ajv2020({strict: false, allErrors: true});
addFormats.default(ajv);
ajv.addSchema(document, root);

const templates = Object.keys(document.paths)
  // Literal paths come before those with a parameter, as in a router.
  .sort((left, right) => left.split('{').length - right.split('{').length)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

/** Asserts that the OpenAPI document describes this response to this request, including the body. */
export function expectDocumented(method: string, url: string, response: LightMyRequestResponse) {
  const path = url.split('?')[0] ?? '';
  const match = templates.find(
    ({template, pattern}) =>
      pattern.test(path) && document.paths[template]?.[method.toLowerCase()] !== undefined,
  );
  const mediaType = String(response.headers['content-type']).split(';')[0] ?? '';
  if (match === undefined) {
    if (method === 'HEAD') return;
    expect(mediaType, `${method} ${path}`).to.equal('application/problem+json');
    expectValid('/components/schemas/Problem', response);
    return;
  }
  const described = document.paths[match.template]?.[method.toLowerCase()]?.responses;
  const label = `${method} ${path} ${response.statusCode}`;
  const status = String(response.statusCode);
  expect(Object.keys(described ?? {}), label).to.include(status);
  const steps = [match.template, method.toLowerCase(), 'responses', status];
  // For HEAD, `inject` returns a body that Node would not send.
  if (method === 'HEAD') return;
  const content = described?.[status]?.content;
  if (content === undefined) {
    expect(response.payload, label).to.equal('');
    return;
  }
  expect(Object.keys(content), label).to.include(mediaType);
  expectValid(pointer(['paths', ...steps, 'content', mediaType, 'schema']), response);
}

function expectValid(schemaPath: string, response: LightMyRequestResponse) {
  const validate = ajv.getSchema(`${root}#${schemaPath}`);
  expect(validate, schemaPath).to.be.a('function');
  const isJson = /json/.test(String(response.headers['content-type']));
  const valid = validate?.(isJson ? JSON.parse(response.payload) : response.payload);
  expect(valid, `${response.payload} ${ajv.errorsText(validate?.errors)}`).to.equal(true);
}

function pointer(steps: readonly string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
