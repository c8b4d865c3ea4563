import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {expect} from 'chai';
import {ConnectorName} from '../../../src/contract/index.js';
import {openApiDocument} from '../../../src/server/openapi/document.js';
import {eachWithService} from '../../support/server/service.js';
import {root} from '../../support/sources.js';

/** The parts of the document that the tests use. */
interface Document {
  readonly components: {
    readonly schemas: Record<string, {description?: string; examples?: readonly unknown[]}>;
  };
  readonly paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, Response>;
}
interface Response {
  readonly content: Record<
    string,
    {
      readonly schema: {allOf: [unknown, {properties: {code: {enum: []}}}]};
      readonly example?: {readonly status: number; readonly code: string};
    }
  >;
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;

describe('the OpenAPI document', () => {
  const suite = eachWithService();

  it('is served by the service, and is the file docs/openapi.json (npm run docs rewrites it)', async () => {
    const response = await suite.service.send({method: 'GET', url: '/openapi.json'});
    expect(response.statusCode).to.equal(200);
    expect(response.json()).to.deep.equal(document);
    const file = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));
    expect(file, 'Run: npm run docs').to.deep.equal(document);
  });

  it('allows further fields in responses', () => {
    expect(JSON.stringify(document)).not.to.include('additionalProperties');
  });

  it('has a description and a valid example for every named schema', () => {
    const ajv = addFormats.default(new Ajv2020({strict: false}));
    ajv.addSchema(document, 'openapi');
    for (const [name, {description, examples = []}] of Object.entries(
      document.components.schemas,
    )) {
      expect(description, name).to.match(/^[A-Z].*\.$/);
      expect(examples, name).not.to.deep.equal([]);
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
      for (const example of examples) expect(validate?.(example), name).to.equal(true);
    }
  });

  it('has an example of a problem with the status of each response, for a mock server', () => {
    for (const methods of Object.values(document.paths)) {
      for (const {operationId, responses} of Object.values(methods)) {
        for (const [status, {content}] of Object.entries(responses)) {
          const {example, schema} = content['application/problem+json'] ?? {};
          if (schema === undefined) continue;
          const codes: readonly string[] = schema.allOf[1].properties.code.enum;
          expect(example?.status, `${operationId} ${status}`).to.equal(Number(status));
          expect(codes).to.include(example?.code);
        }
      }
    }
  });

  it('accepts and refuses the same texts as the service', () => {
    const ajv = new Ajv2020({strict: false});
    ajv.addSchema(document, 'openapi');
    const validate = ajv.getSchema('openapi#/components/schemas/ConnectorName');
    for (const name of [
      ' web ',
      'web\n',
      '\u200b',
      '',
      'a\tb',
      `${'x'.repeat(128)}  `,
      'x'.repeat(129),
    ]) {
      expect(validate?.(name), name).to.equal(ConnectorName.safeParse(name).success);
    }
  });
});
