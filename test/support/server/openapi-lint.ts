import {createConfig, lintFromString} from '@redocly/openapi-core';
import {expect} from 'chai';

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

/** Asserts that Redocly's linter finds neither an error nor a warning in an OpenAPI document. */
export async function expectCleanDocument(document: object): Promise<void> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({source, config: await config});
  expect(
    problems.map(({ruleId, message, location}) => [ruleId, message, location[0]?.pointer]),
  ).to.deep.equal([]);
}
