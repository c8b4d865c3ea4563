import type {ServerResponse} from 'node:http';
import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {createClient} from '../../../src/client/create-client.js';
import type {Operation} from '../../../src/contract/endpoints.js';
import type {ErrorKind} from '../../../src/errors.js';
import {calls, clientWithoutDelays, everyOperation, failure} from '../../support/client.js';
import {closedPort} from '../../support/network/ports.js';
import {bytes, inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

/** Receives the request and closes the connection. */
const hangUp: Respond = (_, response) => response.destroy();

/** Sends half of the response and closes the connection. */
const cutShort: Respond = (_, response) => {
  response.writeHead(200, {'content-type': 'application/json', 'content-length': '100'});
  response.write('[{"id":');
  setImmediate(() => response.destroy());
};

/** Cut off by a program in between, which sends it as a whole. */
const cutOff = bytes('{"id":"con_1","na', {'content-type': 'application/json'});

const good: Readonly<Record<Operation, Respond>> = {
  createToken: json({token: 'act_1', expires_at: '2030-01-01T00:00:00Z'}),
  activate: json({id: 'con_1'}),
  list: json([]),
  get: json({id: 'con_1'}),
  heartbeat: json({}),
};

describe('the client', () => {
  const allButCreateToken = everyOperation.filter((name) => name !== 'createToken');
  const cases: readonly (readonly [string, Respond, readonly Operation[], ErrorKind])[] = [
    ['503', json({}, 503), everyOperation, 'unavailable'],
    ['a lost connection', hangUp, allButCreateToken, 'unavailable'],
    ['a response cut short', cutShort, allButCreateToken, 'unavailable'],
    ['JSON that is cut off', cutOff, allButCreateToken, 'protocol'],
    ['a web page', bytes('<!doctype html>'), [], 'protocol'],
    ['304', json('', 304), [], 'protocol'],
  ];

  for (const [name, response, retried, kind] of cases) {
    it(`retries these operations after ${name}: ${retried.length > 0 ? retried.join(', ') : 'none'}`, async () => {
      for (const operation of everyOperation) {
        const service = await thirdPartyService(response);
        const {client, pauses} = clientWithoutDelays(service.url, {apiKey: 'k'});
        const error = await failure(() => calls[operation](client));
        const attempts = retried.includes(operation) ? 3 : 1;
        expect(service.seen.length, operation).to.equal(attempts);
        expect(pauses, operation).to.have.length(attempts - 1);
        expect(error.kind, operation).to.equal(kind);
      }
    });

    if (retried.length === 0) continue;
    it(`succeeds when a retry after ${name} succeeds`, async () => {
      for (const operation of retried) {
        const service = await thirdPartyService(inTurn(response, response, good[operation]));
        await calls[operation](clientWithoutDelays(service.url).client);
        expect(service.seen.length, operation).to.equal(3);
      }
    });
  }

  it('retries every operation when the connection is refused, since nothing was sent', async () => {
    for (const operation of everyOperation) {
      const {client, pauses} = clientWithoutDelays(`http://127.0.0.1:${await closedPort()}`);
      const error = await failure(() => calls[operation](client));
      expect(error, operation).to.include({kind: 'unavailable', outcomeUnknown: false});
      expect(pauses, operation).to.deep.equal([500, 1000]);
    }
  });

  it('names a host that does not exist, and does not retry', async () => {
    const {client, pauses} = clientWithoutDelays('http://no-such-host.invalid/prefix');
    const error = await failure(() => client.getConnector('a'));
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.match(
      /the host name of http:\/\/no-such-host\.invalid\/prefix (does not exist|cannot be looked up now)/,
    );
    // Without a name server the machine reports a temporary failure instead.
    if (error.message.includes('ENOTFOUND')) expect(pauses).to.deep.equal([]);
    else expect(error.message).to.include('EAI_AGAIN');
  });

  it('stops after the number of retries in its options', async () => {
    const service = await thirdPartyService(json({}, 503));
    await failure(() => clientWithoutDelays(service.url, {retries: 0}).client.getConnector('a'));
    expect(service.seen).to.have.length(1);
    const {client, pauses} = clientWithoutDelays(service.url, {retries: 6});
    await failure(() => client.getConnector('a'));
    expect(pauses).to.deep.equal([500, 1000, 2000, 4000, 8000, 8000]);
  });

  const hour = 3_600_000;
  // One for both headers, of which neither may be a second later than the other.
  const startedAt = Date.now();
  const inDate = (milliseconds: number) => new Date(startedAt + milliseconds).toUTCString();
  const asked: readonly (readonly [what: string, headers: () => Record<string, string>, number])[] =
    [
      ['the seconds of Retry-After', () => ({'retry-after': '7'}), 7000],
      ...[-hour, 0, hour].map(
        (ahead) =>
          [
            `the date in Retry-After by the clock of the service, ${ahead} ms ahead`,
            () => ({date: inDate(ahead), 'retry-after': inDate(ahead + 20_000)}),
            20_000,
          ] as const,
      ),
      ...['0', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon', '-5'].map(
        (value) => [`its own time for "${value}"`, () => ({'retry-after': value}), 500] as const,
      ),
    ];
  for (const [what, headers, pause] of asked) {
    it(`waits before a retry for ${what}`, async () => {
      const service = await thirdPartyService(inTurn(json({}, 503, headers()), json({id: 'a'})));
      const {client, pauses} = clientWithoutDelays(service.url);
      await client.getConnector('a');
      expect(pauses[0]).to.be.within(pause - 1000, pause);
    });
  }

  it('fails at once when Retry-After is too long, and reports it', async () => {
    const service = await thirdPartyService(json({}, 429, {'retry-after': '3600'}));
    const {client, pauses} = clientWithoutDelays(service.url);
    const error = await failure(() => client.getConnector('a'));
    expect(pauses).to.deep.equal([]);
    expect(hintFor(error)).to.include('asks to try again in 3600 s');
    expect(error.retryAfter).to.equal(3_600_000);
  });

  it('retries an activation whose response was lost, with the same Idempotency-Key', async () => {
    const service = await thirdPartyService(inTurn(hangUp, json({id: 'con_1', api_key: 'cck_1'})));
    const {client} = clientWithoutDelays(service.url);
    const reading = await client.activateConnector({token: 't0ken', name: 'door'});
    const keys = service.seen.map(({headers}) => headers['idempotency-key']);
    expect(reading.credential?.value).to.equal('cck_1');
    expect(keys).to.have.length(2);
    expect(keys[0]).to.be.a('string').and.to.equal(keys[1]);
    expect(service.seen[0]?.body).to.equal(service.seen[1]?.body);
  });

  it('takes the status of an error whose body breaks off or never ends', async () => {
    for (const body of [(response: ServerResponse) => response.destroy(), () => undefined]) {
      const {url} = await thirdPartyService((_, response) => {
        response.writeHead(409, {'content-length': '100'});
        response.write('{"message": "tok', () => body(response));
      });
      // Long enough for the headers to arrive on a busy machine.
      const {client} = clientWithoutDelays(url, {timeout: 1000});
      expect(await failure(() => client.createToken())).to.include({
        status: 409,
        outcomeUnknown: false,
      });
    }
  });

  it('warns that the connector may be activated when the response was lost and the retry is refused', async () => {
    for (const status of [400, 404, 409]) {
      const {url} = await thirdPartyService(inTurn(hangUp, json({message: 'token used'}, status)));
      const error = await failure(() => calls.activate(clientWithoutDelays(url).client));
      expect(error).to.include({status, outcomeUnknown: true});
      expect(hintFor(error))
        .to.include('may have been activated')
        .and.to.include('connectorctl connector list');
    }
    const plain = await thirdPartyService(json({message: 'token used'}, 409));
    const other = await failure(() =>
      clientWithoutDelays(plain.url).client.activateConnector({token: 't0ken', name: 'door'}),
    );
    expect(hintFor(other)).not.to.include('may have been activated');
  });

  const canceled: readonly (readonly [when: string, Respond, outcomeUnknown: boolean])[] = [
    ['it waits for the response', () => {}, true],
    ['it pauses after a lost response', hangUp, true],
    ['it pauses after a refusal', json({}, 429), false],
  ];
  for (const [when, respond, outcomeUnknown] of canceled) {
    it(`can be canceled while ${when}, and says what may have happened`, async () => {
      const service = await thirdPartyService(respond);
      const controller = new AbortController();
      const {signal} = controller;
      let hasResponse = false;
      const onResponse = () => {
        hasResponse = true;
      };
      const client = createClient({baseUrl: service.url, onResponse});
      const activate = () => client.activateConnector({token: 't0ken', name: 'door'}, {signal});
      const pending = failure(activate);
      const isThere = () => (outcomeUnknown ? service.seen.length > 0 : hasResponse);
      while (!isThere()) await new Promise(setImmediate);
      await new Promise(setImmediate);
      controller.abort();
      expect(await pending).to.include({kind: 'cancelled', outcomeUnknown});
      expect(await failure(activate)).to.include({kind: 'cancelled', outcomeUnknown: false});
      expect(service.seen).to.have.length(1);
    });
  }
});
