import {Validator} from '@seriousme/openapi-schema-validator';
import {expect} from 'chai';
import {commonProblems, operations, problems, routes} from '../../src/contract/index.js';
import {openApiDocument} from '../../src/server/openapi.js';
import {eachWithService} from './service.js';

/** As much of the document as the tests look into. */
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  readonly operationId?: string;
  readonly security: readonly Record<string, readonly []>[];
  readonly responses: Record<string, Answer>;
}
interface Answer {
  readonly content: Record<string, {schema: {allOf: [unknown, {properties: {code: {enum: []}}}]}}>;
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;

describe('the OpenAPI document', () => {
  const suite = eachWithService();

  it('keeps the rules of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate({...openApiDocument()});
    expect(result.errors).to.equal(undefined);
    expect(result.valid).to.equal(true);
    expect(validator.version).to.equal('3.1');
  });

  it('is served', async () => {
    const answer = await suite.service.send({method: 'GET', url: '/openapi.json'});
    expect(answer.statusCode).to.equal(200);
    expect(answer.json()).to.deep.equal(document);
  });

  it('describes the operations of the interface and those of the service', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).to.have.members([
      'POST /api/connectors/create-token',
      'POST /api/connectors/activate',
      'GET /api/connectors',
      'GET /api/connectors/{id}',
      'POST /api/connectors/{id}/heartbeat',
      'GET /healthz',
      'GET /readyz',
      'GET /openapi.json',
      'GET /metrics',
    ]);
  });

  for (const name of operations) {
    it(`names every problem of ${name} under its status, and who may call it`, () => {
      const {path, method, access, problems: own} = routes[name];
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(operation?.operationId).to.equal(name);
      expect(operation?.security.length === 0).to.equal(access === 'none');
      for (const code of [...own, ...commonProblems]) {
        const answer = operation?.responses[problems[code].status];
        const schema = answer?.content['application/problem+json']?.schema;
        expect(schema?.allOf[1].properties.code.enum).to.include(code);
      }
    });
  }
});
