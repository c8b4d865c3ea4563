import type {Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {tcpService} from '../../support/network/tcp-service.js';
import {thirdPartyService} from '../../support/third-party.js';

describe('the timeout of the client', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n';
  const drip = (socket: Socket) => {
    socket.write(`${head}{`);
    const timer = setInterval(() => socket.write(' '), 5);
    socket.once('close', () => clearInterval(timer));
  };
  const slow: Record<string, readonly [(socket: Socket) => void, string]> = {
    'never responds': [() => {}, 'no response from'],
    'sends headers and stalls': [(socket) => socket.write(head), 'was not complete within 1 s'],
    'sends one byte at a time without end': [drip, 'was not complete within 1 s'],
  };

  for (const [name, [notices, says]] of Object.entries(slow)) {
    it(`ends each attempt with a service that ${name}`, async () => {
      const [service, other] = [await tcpService(notices), await tcpService(notices)];
      // Long enough for the headers to arrive on a busy machine.
      const options = {timeout: 1000, retries: 1};
      const {client, pauses} = clientWithoutDelays(service.url, options);
      const lists = clientWithoutDelays(other.url, options).client;
      const [error, listed] = await Promise.all([
        failure(() => client.getConnector('a')),
        failure(() => all(lists.listConnectors())),
      ]);
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.include(says);
      expect(hintFor(error)).to.include('--timeout');
      expect(pauses).to.have.length(1);
      expect(service.connections()).to.equal(2);
      expect(listed.message).to.include(says);
    });
  }

  it('starts again with each mebibyte, so that a long list may take longer', async () => {
    const connectors = (page: number) =>
      Array.from({length: 12}, (_, index) => ({id: `${page}-${index}`, note: 'x'.repeat(100_000)}));
    const service = await thirdPartyService(async (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.write('[{"id":"first"}');
      // The pauses together are longer than the time limit.
      for (let page = 0; page < 5; page += 1) {
        response.write(`,${JSON.stringify(connectors(page)).slice(1, -1)}`);
        await delay(600);
      }
      response.end(']');
    });
    const {client} = clientWithoutDelays(service.url, {timeout: 2000, retries: 0});
    expect(await all(client.listConnectors())).to.have.length(61);
  });
});
