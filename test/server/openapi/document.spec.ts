import {createConfig, lintFromString} from '@redocly/openapi-core';
import {expect} from 'chai';
import {openApiDocument} from '../../../src/server/openapi/document.js';

const config = createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-description': 'error',
    'operation-tag-defined': 'error',
    'rule/operation-tags': {
      subject: {type: 'Operation', property: 'tags'},
      assertions: {defined: true, minLength: 1},
      severity: 'error',
    },
    'operation-singular-tag': 'error',
    'tag-description': 'error',
  },
});

describe('the OpenAPI document, for the linter of Redocly,', () => {
  it('is valid OpenAPI 3.1, and its operations have tags and descriptions', async () => {
    const document = openApiDocument();
    expect(document).to.include({openapi: '3.1.0'});
    const problems = await lintFromString({
      source: JSON.stringify(document),
      config: await config,
    });
    expect(
      problems.map(({ruleId, message, location}) => [ruleId, message, location[0]?.pointer]),
    ).to.deep.equal([]);
  });
});
