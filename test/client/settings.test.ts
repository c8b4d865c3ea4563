import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {createClient} from '../../src/client/create-client.js';
import type {ClientErrorReason} from '../../src/client/reasons.js';
import type {ClientOptions} from '../../src/client/types.js';
import {failure} from '../support/client.js';

describe('the options of a client', () => {
  const invalid: readonly (readonly [string, Partial<ClientOptions>, ClientErrorReason])[] = [
    ['no URL', {baseUrl: 'connectors.example'}, 'base-url-invalid'],
    ['another scheme', {baseUrl: 'ftp://connectors.example'}, 'base-url-invalid'],
    [
      'a password in the URL',
      {baseUrl: 'https://user:hunter2@connectors.example'},
      'base-url-invalid',
    ],
    [
      'a user in the URL',
      {baseUrl: new URL('https://hunter2@connectors.example')},
      'base-url-invalid',
    ],
    ['a query', {baseUrl: 'https://connectors.example/?key=hunter2'}, 'base-url-invalid'],
    ['a fragment', {baseUrl: 'https://connectors.example/#hunter2'}, 'base-url-invalid'],
    ['an empty key', {apiKey: ''}, 'api-key-invalid'],
    ['a key with a line feed in it', {apiKey: 'hunter2\nx'}, 'api-key-invalid'],
    ['a key beyond ASCII', {apiKey: 'hunter2é'}, 'api-key-invalid'],
    ['a header name with a space', {apiKey: 'hunter2', authHeader: 'x key'}, 'auth-header-invalid'],
    ['an empty header name', {apiKey: 'hunter2', authHeader: ''}, 'auth-header-invalid'],
    ['no time', {timeout: 0}, 'timeout-invalid'],
    ['a time that is no number', {timeout: Number.NaN}, 'timeout-invalid'],
    ['a time that no timer holds', {timeout: 2 ** 31}, 'timeout-invalid'],
    ['a negative number of retries', {retries: -1}, 'retries-invalid'],
    ['half a retry', {retries: 0.5}, 'retries-invalid'],
  ];

  for (const [name, options, reason] of invalid) {
    it(`refuse ${name} with a reason, without its value and without advice about flags`, async () => {
      const error = await failure(() => createClient({baseUrl: 'http://127.0.0.1', ...options}));
      expect(error).to.include({kind: 'usage', reason, hint: undefined});
      expect(`${error.message} ${hintFor(error)}`).not.to.include('hunter2');
    });
  }
});
