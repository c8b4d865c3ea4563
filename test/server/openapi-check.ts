import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {expect} from 'chai';
import type {LightMyRequestResponse} from 'fastify';
import {openApiDocument} from '../../src/server/openapi.js';

/** As much of the document as the check looks into. */
interface Document {
  paths: Record<string, Record<string, {responses: Record<string, {content: object}>}>>;
}

const document = openApiDocument() as Document;
const root = 'openapi';
const ajv = new Ajv2020({strict: false, allErrors: true});
addFormats.default(ajv);
ajv.addSchema(document, root);

const templates = Object.keys(document.paths)
  // A literal path is looked at before one with a parameter, as routers do.
  .sort((left, right) => left.split('{').length - right.split('{').length)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

/** Asserts that an answer is one that the OpenAPI document has for its request, body included. */
export function expectDocumented(method: string, url: string, answer: LightMyRequestResponse) {
  const path = url.split('?')[0] ?? '';
  const match = templates.find(
    ({template, pattern}) =>
      pattern.test(path) && document.paths[template]?.[method.toLowerCase()] !== undefined,
  );
  const mediaType = String(answer.headers['content-type']).split(';')[0] ?? '';
  if (match === undefined) {
    expect(mediaType, `${method} ${path}`).to.equal('application/problem+json');
    expectValid('/components/schemas/Problem', answer);
    return;
  }
  const steps = [match.template, method.toLowerCase(), 'responses', String(answer.statusCode)];
  const described = document.paths[match.template]?.[method.toLowerCase()]?.responses;
  const label = `${method} ${path} ${answer.statusCode}`;
  expect(Object.keys(described ?? {}), label).to.include(String(answer.statusCode));
  expect(Object.keys(described?.[answer.statusCode]?.content ?? {}), label).to.include(mediaType);
  expectValid(pointer(['paths', ...steps, 'content', mediaType, 'schema']), answer);
}

function expectValid(schemaPath: string, answer: LightMyRequestResponse) {
  const validate = ajv.getSchema(`${root}#${schemaPath}`);
  expect(validate, schemaPath).to.be.a('function');
  const isJson = /json/.test(String(answer.headers['content-type']));
  const valid = validate?.(isJson ? JSON.parse(answer.payload) : answer.payload);
  expect(valid, `${answer.payload} ${ajv.errorsText(validate?.errors)}`).to.equal(true);
}

function pointer(steps: readonly string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
