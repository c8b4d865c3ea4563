import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {all, calls, clientWithoutDelays, everyOperation, failure} from '../support/client.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';

function text(body: string, status: number, type: string, headers = {}): Respond {
  return (_, response) => {
    response.writeHead(status, {'content-type': type, ...headers});
    response.end(body);
  };
}

describe('an error of the client for a failed request', () => {
  const problem = {
    type: 'about:blank',
    title: 'The request is not valid',
    status: 422,
    code: 'request_invalid',
    request_id: 'req-1',
  };
  const shapes: readonly (readonly [string, Respond, string, Record<string, unknown>?])[] = [
    [
      'a problem document',
      json({...problem, detail: 'Too short'}, 422),
      ': Too short',
      {code: 'request_invalid', requestId: 'req-1'},
    ],
    [
      '{"error": {…}}',
      json({error: {code: 'E7', message: 'No way', request_id: 9}}, 422),
      ': No way',
      {code: 'E7', requestId: '9'},
    ],
    ['an empty object', json({}, 422), ' returned 422 Unprocessable Entity'],
    ['an empty body', text('', 422, 'text/plain'), ' returned 422 Unprocessable Entity'],
    [
      'a request id in a header',
      text('', 422, 'text/plain', {'X-Request-Id': 'r7'}),
      '',
      {requestId: 'r7'},
    ],
    ['broken JSON', json('{"message": "cut', 422), ': {"message": "cut'],
  ];

  for (const [name, response, end, rest = {}] of shapes) {
    it(`takes its message from ${name}`, async () => {
      const service = await thirdPartyService(response);
      const error = await failure(() =>
        clientWithoutDelays(service.url).client.getConnector('con_1'),
      );
      expect(error.message).to.match(
        /^Cannot read connector con_1: http:\/\/127\.0\.0\.1:\d+ returned 422/,
      );
      expect(error.message.endsWith(end), error.message).to.equal(true);
      expect(error).to.include({kind: 'usage', status: 422, ...rest});
    });
  }

  it('names the operation', async () => {
    const service = await thirdPartyService(json({}, 500));
    const {client} = clientWithoutDelays(service.url);
    const messages = await Promise.all(
      everyOperation.map(
        async (one) => (await failure(() => calls[one](client))).message.split(': ')[0],
      ),
    );
    expect(messages).to.deep.equal([
      'Cannot create an activation token',
      'Cannot activate the connector',
      'Cannot list the connectors',
      'Cannot read connector con_1',
      'Cannot send the heartbeat of connector con_1',
    ]);
  });

  /** A response that never ends; `givenUp` resolves when the client closes the connection. */
  function endless(status: number): {response: Respond; givenUp: Promise<void>} {
    let giveUp = () => {};
    const givenUp = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const response: Respond = (_, response) => {
      response.writeHead(status, {'content-type': 'text/plain'});
      response.once('close', giveUp);
      const more = () => {
        while (response.write('x'.repeat(65536)));
      };
      response.on('drain', more);
      more();
    };
    return {response, givenUp};
  }

  for (const [status, kind, says] of [
    [400, 'usage', /^.{300,500}…$/],
    [200, 'protocol', /longer than 1 MiB/],
  ] as const) {
    it(`is short, and the connection closed, for an endless response with the status ${status}`, async () => {
      const {response, givenUp} = endless(status);
      const service = await thirdPartyService(response);
      const error = await failure(() => clientWithoutDelays(service.url).client.getConnector('a'));
      expect(error.kind).to.equal(kind);
      expect(error.message).to.match(says);
      await givenUp;
    });
  }

  it('has a hint for its status and operation', async () => {
    const hints: readonly (readonly [number, object, 'get' | 'list' | 'activate', RegExp])[] = [
      [401, {}, 'get', /CONNECTORCTL_API_KEY/],
      [404, {}, 'get', /connectorctl connector list/],
      [404, {}, 'list', /base URL/],
      [409, {}, 'list', /^Try again later/],
      [409, {}, 'get', /connectorctl connector list/],
      [401, {}, 'activate', /activation token.*connectorctl token create/],
      [404, {message: 'unknown token'}, 'activate', /token\. .*connectorctl token create/],
      [404, {message: 'Not Found'}, 'activate', /base URL/],
      [409, {}, 'activate', /connectorctl token create/],
      [410, {}, 'activate', /connectorctl token create/],
      [400, {code: 'token_malformed'}, 'activate', /Copy the activation token again/],
      [410, {code: 'token_expired'}, 'activate', /connectorctl token create/],
    ];
    for (const [status, body, operation, pattern] of hints) {
      const service = await thirdPartyService(json(body, status));
      const {client} = clientWithoutDelays(service.url);
      expect(
        hintFor(await failure(() => calls[operation](client))),
        `${status} ${operation}`,
      ).to.match(pattern);
    }
    const service = await thirdPartyService(json({}, 401));
    const {client} = clientWithoutDelays(service.url, {apiKey: 'k'});
    expect(hintFor(await failure(() => client.getConnector('a')))).to.match(/Check the API key/);
  });

  it('suggests the base URL without the path of the API when the base URL contains it', async () => {
    for (const response of [json({}, 404), json({}, 405), json('"no list"')]) {
      const service = await thirdPartyService(response);
      const {client} = clientWithoutDelays(`${service.url}/v1/api/connectors/`);
      const hint = `Leave /api/connectors out of the base URL: ${service.url}/v1`;
      expect(hintFor(await failure(() => all(client.listConnectors())))).to.equal(hint);
      expect(hintFor(await failure(() => client.getConnector('a')))).to.equal(hint);
    }
  });

  it('mentions the clock only when it is wrong', async () => {
    const cases: readonly (readonly [number, number, RegExp, object?])[] = [
      [401, -3_600_000, /60m ahead of/],
      [410, 600_000, /10m behind/],
      [401, 20_000, /^(?!.*clock)/],
      [400, 600_000, /^(?!.*clock)/],
      // Its clock is virtual.
      [401, 600_000, /^(?!.*clock)/, {'connectorctl-clock': 'virtual'}],
    ];
    for (const [status, offset, pattern, headers] of cases) {
      const date = new Date(Date.now() + offset).toUTCString();
      const {url} = await thirdPartyService(json({}, status, {date, ...headers}));
      const error = await failure(() => clientWithoutDelays(url).client.getConnector('a'));
      expect(hintFor(error) ?? '').to.match(pattern);
    }
  });
});
