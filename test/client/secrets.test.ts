import {inspect} from 'node:util';
import {expect} from 'chai';
import fc from 'fast-check';
import {redactJson, redactor} from '../../src/client/redact.js';
import type {AppError} from '../../src/errors.js';
import {calls, clientWithoutDelays} from '../support/client.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {anyCharacter} from '../support/values/any-character.js';

const apiKey = 'ck_K3YsecretOfTheOrganization';
const token = 'act_T0KEN/secret+of"the\\activation';
const credential = 'cck_CR3D3NTIALofTheConnector';

/** Each secret in every encoding in which it may appear. */
const spellings = [apiKey, token, credential].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
]);

/** Fails when a text contains a secret or a recognizable part of one. */
function expectNoSecret(text: string): void {
  for (const spelling of spellings) expect(text).not.to.include(spelling);
  expect(text).not.to.match(/K3Y|T0KEN|CR3D/);
}

/** Everything that a user or a script can see of an error. */
function everything(error: AppError): string {
  const options = {depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true} as const;
  return [
    inspect(error, options),
    String(error),
    error.stack,
    JSON.stringify(error),
    inspect(error.cause, options),
  ].join('\n');
}

const callsWithSecrets: typeof calls = {
  ...calls,
  activate: (client) => client.activateConnector({token, name: 'door'}),
};

/** The secrets that a careless service may repeat in its response. Only an activation sends the token. */
const echoOf = (operation: string) =>
  [
    apiKey,
    `Bearer ${apiKey}`,
    ...(operation === 'activate' ? [token, encodeURIComponent(token)] : []),
  ].join(' / ');
const plain =
  (body: string, status: number, type = 'text/plain'): Respond =>
  (_, response) => {
    response.writeHead(status, {'content-type': type});
    response.end(body);
  };

const failures: Record<string, (echo: string) => Respond> = {
  'a refusal that repeats them': (echo) =>
    json({message: echo, code: apiKey, request_id: echo}, 401),
  'a problem that repeats them': (echo) =>
    json({title: echo, errors: [{path: apiKey, message: echo}]}, 422),
  'a text that repeats them': (echo) => plain(echo, 500),
  'a page that repeats them': (echo) =>
    plain(`<html><title>${echo}</title></html>`, 200, 'text/html'),
  'a media type that repeats them': () => plain('x', 200, `text/${apiKey}`),
  'a bare secret as plain text': () => plain(credential, 200, 'application/json'),
  'truncated JSON with secrets': () => json(`{"token":"${credential}","api_key":"${credential}`),
  'a token of the wrong shape': () => json({token: {value: credential}, expires_at: 5}, 201),
  'a redirect that repeats them': () =>
    json('', 303, {location: `/?key=${apiKey}&token=${apiKey}`}),
  'no response': () => (_, response) => response.destroy(),
  'something that is not HTTP': () => (_, response) => {
    response.socket?.end(`HTTP/9.9 ${credential} ${apiKey}\r\n\r\n`);
  },
  'a damaged body': () => (_, response) => {
    response.writeHead(200, {'content-encoding': 'gzip'});
    response.end(credential);
  },
};

describe('secrets of the client', () => {
  for (const authHeader of ['Authorization', 'X-Api-Key', 'X-Anything']) {
    for (const [name, response] of Object.entries(failures)) {
      it(`appear in no error and no trace after ${name}, with the key in ${authHeader}`, async () => {
        for (const [operation, call] of Object.entries(callsWithSecrets)) {
          const service = await thirdPartyService(response(echoOf(operation)));
          const said: string[] = [];
          const trace = (line: string) => said.push(line);
          const {client} = clientWithoutDelays(service.url, {apiKey, authHeader, trace});
          try {
            await call(client);
          } catch (error) {
            said.push(everything(error as AppError));
          }
          expect(said, operation).not.to.be.empty;
          expectNoSecret(said.join('\n'));
          expect(JSON.stringify(service.seen)).to.include(apiKey);
        }
      });
    }
  }

  it('appear in no trace when a response contains them', async () => {
    const responses: object[] = [
      {token: credential, expires_at: '2030-01-01T00:00:00Z'},
      {id: 'con_1', api_key: credential},
      {id: 'con_1', connector: {id: 'con_1', credentials: {value: credential, n: [credential]}}},
      [{id: 'con_1', apiKey: credential, Password: credential}],
    ];
    for (const response of responses) {
      const headers = {'set-cookie': `s=${credential}`, 'x-auth-token': credential};
      const service = await thirdPartyService(json(response, 200, headers));
      const lines: string[] = [];
      const trace = (line: string) => lines.push(line);
      for (const call of Object.values(callsWithSecrets)) {
        await call(clientWithoutDelays(service.url, {apiKey, trace}).client).catch(() => {});
      }
      expect(lines.join('\n')).to.include('[redacted]');
      expectNoSecret(lines.join('\n'));
    }
  });
});

describe('redaction', () => {
  it('recognizes the secrets of the reference service by their format', () => {
    const text = `no such token: act_${'x'.repeat(49)}, nor cck_${'y'.repeat(20)}`;
    expect(redactor([])(text)).to.equal('no such token: act_…, nor cck_…');
  });

  it('masks the credential after a scheme, but not a sentence about one', () => {
    const redact = redactor([]);
    expect(redact('got Bearer eyJhbGciOi1.x-y_z')).to.equal('got Bearer [redacted]');
    expect(redact('basic dXNlcjpwYXNz1=, no')).to.equal('basic [redacted], no');
    const sentence = 'Send the header "Authorization: Bearer KEY", or use Basic authentication.';
    expect(redact(sentence)).to.equal(sentence);
  });

  it('masks the values of secret names, and nothing else', () => {
    const value = {
      id: 1,
      token: 'a',
      nested: [{secret: {deep: 'b'}, name: 'c'}],
      key: null,
      apiKey: 5,
    };
    expect(JSON.parse(redactJson(JSON.stringify(value)))).to.deep.equal({
      id: 1,
      token: '[redacted]',
      nested: [{secret: '[redacted]', name: 'c'}],
      key: null,
      apiKey: '[redacted]',
    });
  });

  it('treats a field named __proto__ like any other field', () => {
    const redacted = JSON.parse(redactJson('{"__proto__":{"token":"x"},"a":1}'));
    expect(JSON.stringify(redacted)).to.equal('{"__proto__":{"token":"[redacted]"},"a":1}');
  });

  it('removes the whole of a secret that begins with a shorter one', () => {
    const secrets = ['hunter2', 'hunter2-of-the-connector'];
    for (const known of [secrets, secrets.toReversed()]) {
      expect(redactor(known)(`${secrets[1]}, ${secrets[0]}`)).to.equal('[redacted], [redacted]');
    }
  });

  it('removes known secrets from any text, whether plain, in a URL or in JSON', () => {
    const secret = fc
      .string({unit: anyCharacter, minLength: 1})
      .filter((text) => text.trim().length > 3);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
        const redact = redactor([text]);
        const trimmed = text.trim();
        fc.pre(
          !before.includes(trimmed) && !after.includes(trimmed) && !'[redacted]'.includes(trimmed),
        );
        expect(redact(before + trimmed + after)).to.include('[redacted]');
        expect(redact(encodeURIComponent(Buffer.from(trimmed).toString()))).to.include(
          '[redacted]',
        );
        expect(redact(JSON.stringify({a: Buffer.from(trimmed).toString()}))).to.include(
          '[redacted]',
        );
      }),
    );
  });
});
