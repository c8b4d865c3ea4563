import {expect} from 'chai';
import {createClient} from '../../src/client/create-client.js';
import {failure} from '../support/client.js';

describe('client options', () => {
  const refused = {
    'no URL': {baseUrl: 'connectors.example'},
    'another scheme': {baseUrl: 'ftp://connectors.example'},
    'a password in the URL': {baseUrl: 'https://user:hunter2@connectors.example'},
    'a user in the URL': {baseUrl: new URL('https://hunter2@connectors.example')},
    'a query': {baseUrl: 'https://connectors.example/?key=hunter2'},
    'a fragment': {baseUrl: 'https://connectors.example/#hunter2'},
    'an empty key': {apiKey: ''},
    'a key with a line feed in it': {apiKey: 'hunter2\nx'},
    'a key beyond ASCII': {apiKey: 'hunter2é'},
    'a header name with a space': {apiKey: 'hunter2', authHeader: 'x key'},
    'an empty header name': {apiKey: 'hunter2', authHeader: ''},
    'no time': {timeout: 0},
    'a time that is no number': {timeout: Number.NaN},
    'a time that no timer holds': {timeout: 2 ** 31},
    'a negative number of retries': {retries: -1},
    'half a retry': {retries: 0.5},
  };

  for (const [name, options] of Object.entries(refused)) {
    it(`refuses ${name}, and does not repeat it`, async () => {
      const error = await failure(() => createClient({baseUrl: 'http://127.0.0.1', ...options}));
      expect(error.kind).to.equal('usage');
      expect(`${error.message} ${error.hint}`).not.to.include('hunter2');
    });
  }
});
