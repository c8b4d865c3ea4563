import {expect} from 'chai';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {closedPort} from '../../support/network/ports.js';
import {bytes, inTurn, json, thirdPartyService} from '../../support/third-party.js';

/** The trace of an action, with placeholders for values that differ between runs. */
async function traceOf(
  url: string,
  action: (client: ReturnType<typeof clientWithoutDelays>['client']) => Promise<unknown>,
): Promise<string[]> {
  const lines: string[] = [];
  const trace = (line: string) => lines.push(line);
  await action(clientWithoutDelays(url, {apiKey: 'sesame', retries: 1, trace}).client);
  return lines.map((line) =>
    line
      .replace(/after \d+ ms/, 'after N ms')
      .replace(/date: .*/, 'date: …')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      .replace(/[\da-f]{8}-[\da-f-]{27}/, 'UUID')
      .replace(/accept-encoding: .*/, 'accept-encoding: …'),
  );
}

describe('the trace of the client', () => {
  const request = [
    '> user-agent: connectorctl',
    '> accept: application/json',
    '> authorization: [redacted]',
  ];

  it('shows headers and bodies of a request and its response without secrets', async () => {
    const credential = {api_key: 'cck_1', auth: {value: 'S1'}, psk: 'S2', pem: ['S3'], port: 7};
    const service = await thirdPartyService(json({id: 'a', ...credential}, 201));
    const lines = await traceOf(service.url, (client) =>
      client.activateConnector({token: 'act_1', name: 'door'}),
    );
    expect(lines).to.deep.equal([
      '> POST http://HOST/api/connectors/activate',
      ...request,
      '> content-type: application/json',
      '> idempotency-key: UUID',
      '> content-length: 31',
      '> accept-encoding: …',
      '> host: HOST',
      '> {"token":"[redacted]","name":"door"}',
      '< 201 after N ms',
      '< content-type: application/json',
      '< date: …',
      '< connection: keep-alive',
      '< keep-alive: timeout=5',
      '< transfer-encoding: chunked',
      '< {"id":"a","api_key":"[redacted]","auth":{"value":"[redacted]"},"psk":"[redacted]","pem":["[redacted]"],"port":"[redacted]"}',
    ]);
  });

  it('shows redirects, retries and failures', async () => {
    const service = await thirdPartyService(
      inTurn(json('', 307, {location: '/b?x=1&sig=2'}), json({}, 503), json([])),
    );
    const lines = await traceOf(service.url, (client) => all(client.listConnectors()));
    expect(lines.filter((line) => /^(\*|> GET|< \d|< location)/.test(line))).to.deep.equal([
      '> GET http://HOST/api/connectors',
      '< 307 after N ms',
      '< location: /b?x=1&sig=[redacted]',
      '> GET http://HOST/b?x=1&sig=[redacted]',
      '< 503 after N ms',
      '* trying again in 500 ms',
      '> GET http://HOST/api/connectors',
      '< 200 after N ms',
    ]);
    const broken = await traceOf(`http://127.0.0.1:${await closedPort()}`, (client) =>
      failure(() => client.getConnector('a')),
    );
    expect(broken.filter((line) => /^[*!]/.test(line))).to.deep.equal([
      '! failed after N ms: Cannot read connector a: nothing listens at http://HOST (ECONNREFUSED)',
      '* trying again in 500 ms',
      '! failed after N ms: Cannot read connector a: nothing listens at http://HOST (ECONNREFUSED)',
    ]);
  });

  it('shortens long bodies, omits very long bodies, and marks every line', async () => {
    const service = await thirdPartyService(
      inTurn(
        json({id: 'a', pad: 'x'.repeat(9000)}),
        json([{id: 'a', pad: 'x'.repeat(2 ** 21)}]),
        bytes('two\nlines of it', {}, 404),
        json('{"token": "cut', 404),
      ),
    );
    const lines = await traceOf(service.url, async (client) => {
      await client.getConnector('a');
      await all(client.listConnectors());
      await failure(() => client.getConnector('a'));
      await failure(() => client.getConnector('a'));
    });
    const bodies = lines.filter((line) => /^< [^:]*$|^< \{/.test(line) && !/^< \d/.test(line));
    expect(bodies[0]).to.match(/^< \{"id":"a","pad":"x{4079}… \(9019 characters\)$/);
    expect(bodies.slice(1)).to.deep.equal([
      '< (a long body, not shown)',
      '< two',
      '< lines of it',
      '< (14 characters that are not JSON)',
    ]);
  });
});
