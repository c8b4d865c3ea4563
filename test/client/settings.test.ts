import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {createClient} from '../../src/client/create-client.js';
import type {ClientErrorReason} from '../../src/client/reasons.js';
import type {ClientOptions} from '../../src/client/types.js';
import {failure} from '../support/client.js';

describe('creating a client', () => {
  const invalid: readonly (readonly [string, Partial<ClientOptions>, ClientErrorReason])[] = [
    ['an empty key', {apiKey: ''}, 'api-key-invalid'],
    ['a key with a line feed in it', {apiKey: 'hunter2\nx'}, 'api-key-invalid'],
    ['a key beyond ASCII', {apiKey: 'hunter2é'}, 'api-key-invalid'],
    ['a header name with a space', {apiKey: 'hunter2', authHeader: 'x key'}, 'auth-header-invalid'],
    ['an empty header name', {apiKey: 'hunter2', authHeader: ''}, 'auth-header-invalid'],
    ['a timeout of 0', {timeout: 0}, 'timeout-invalid'],
    ['a timeout below 1 ms', {timeout: 0.5}, 'timeout-invalid'],
    ['a timeout that is not a number', {timeout: Number.NaN}, 'timeout-invalid'],
    ['a timeout too long for a timer', {timeout: 2 ** 31}, 'timeout-invalid'],
    ['a negative number of retries', {retries: -1}, 'retries-invalid'],
    ['a fractional number of retries', {retries: 0.5}, 'retries-invalid'],
  ];
  for (const [name, options, reason] of invalid) {
    it(`fails for ${name} with a reason that has a hint, without the value and without advice about flags`, async () => {
      const error = await failure(() => createClient({baseUrl: 'http://127.0.0.1', ...options}));
      expect(error).to.include({kind: 'usage', reason, hint: undefined});
      expect(hintFor(error)).to.match(/^\w.*\.$/);
      expect(`${error.message} ${hintFor(error)}`).not.to.include('hunter2');
    });
  }

  for (const [options, message] of [
    [{}, 'createClient needs baseUrl'],
    [undefined, 'createClient needs baseUrl'],
    [
      {baseURL: 'http://127.0.0.1'},
      'createClient has no option baseURL; it has baseUrl, apiKey, authHeader, timeout, retries, trace, onResponse.',
    ],
  ] as const) {
    it(`names the option that is missing, or that there is not, in ${JSON.stringify(options)}`, async () => {
      const error = await failure(() =>
        createClient(options as ClientOptions | undefined as never),
      );
      expect(error).to.include({kind: 'usage', message});
    });
  }

  const withLogin = 'must not hold a user name, a password, @ or \\';
  for (const [baseUrl, says] of [
    ['unix:/run/hunter2.sock', 'names a Unix socket; the service must listen on a port'],
    [' UNIX:///run/hunter2.sock', 'names a Unix socket; the service must listen on a port'],
    ['hunter2.example', 'begins with no http:// or https://'],
    ['localhost:4480', 'begins with no http:// or https://'],
    ['http://[::1', 'is not a URL: http://[::1'],
    ['"http://a.example"', 'is not a URL: "http://a.example"'],
    ['ftp://hunter2', 'must be http or https'],
    ['https://a:hunter2@c', withLogin],
    ['https://a:12/hunter2@c', withLogin],
    ['http://DOMAIN\\a:hunter2@c', withLogin],
    ['http://hunter2\\c', withLogin],
    [new URL('https://hunter2@c'), withLogin],
    ['https://c/?key=hunter2', 'must not have a query or a fragment'],
    ['https://c/#hunter2', 'must not have a query or a fragment'],
  ] as const) {
    it(`says of the base URL ${baseUrl} that it ${says}`, async () => {
      const error = await failure(() => createClient({baseUrl}));
      expect(error).to.include({kind: 'usage', reason: 'base-url-invalid', hint: undefined});
      expect(error.message).to.equal(`The base URL of the service ${says}`);
      expect(hintFor(error)).to.include('http://host:port');
    });
  }
});
