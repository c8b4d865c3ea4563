import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {all, clientWithoutDelays, failure} from '../support/client.js';
import {closedPort} from '../support/network/ports.js';
import {rawService} from '../support/network/tcp-service.js';
import {json, thirdPartyService} from '../support/third-party.js';

describe('the client error for a broken connection', () => {
  const fail = (baseUrl: string) =>
    failure(() => clientWithoutDelays(baseUrl, {retries: 0}).client.getConnector('a'));

  it('suggests starting the service when nothing listens on the local port', async () => {
    const error = await fail(`http://127.0.0.1:${await closedPort()}`);
    expect(error.message).to.match(
      /nothing listens at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/,
    );
    expect(error).to.include({kind: 'unavailable'});
    expect(hintFor(error)).to.include('connectorctl serve').and.to.include('base URL');
  });

  it('names the service that sent a redirect or link to a closed port', async () => {
    const dead = `http://127.0.0.1:${await closedPort()}`;
    for (const response of [
      json('', 302, {location: `${dead}/x`}),
      json([{id: 1}], 200, {link: `<${dead}/x>; rel=next`}),
    ]) {
      const {url} = await thirdPartyService(response);
      const {client} = clientWithoutDelays(url, {retries: 0});
      const error = await failure(() => all(client.listConnectors()));
      expect(error.message).to.include(
        `nothing listens at ${dead} (where ${url} sent the request)`,
      );
      expect(hintFor(error)).to.include(`redirects and links of ${url}`);
    }
  });

  it('suggests https:// when an activation over plain HTTP loses its response', async () => {
    const {client} = clientWithoutDelays(await rawService(''), {retries: 0});
    const error = await failure(() => client.activateConnector({token: 't0ken', name: 'n'}));
    expect(hintFor(error))
      .to.include('may have been activated')
      .and.to.include('starts with https://');
  });

  it('suggests https:// when the service closes a plain HTTP connection', async () => {
    const error = await fail(await rawService(''));
    expect(error.message).to.include('was lost before the response was complete (ECONNRESET)');
    expect(hintFor(error)).to.include('https://');
    expect(error.kind).to.equal('unavailable');
  });

  it('is a protocol error when the response is not HTTP', async () => {
    const error = await fail(await rawService('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(error.message).to.include('is not HTTP');
    expect(error.kind).to.equal('protocol');
  });

  it('says that nothing was activated when the response is not HTTP', async () => {
    const {client} = clientWithoutDelays(await rawService('SSH-2.0-OpenSSH_9.2\r\n'));
    const error = await failure(() => client.activateConnector({token: 't0ken', name: 'n'}));
    expect(error).to.include({reason: 'not-http', outcomeUnknown: false});
  });

  it('suggests http:// when the service does not speak TLS', async () => {
    const service = await thirdPartyService(json({id: 'a'}));
    const error = await fail(service.url.replace('http:', 'https:'));
    expect(error.message).to.include('does not speak TLS');
    expect(hintFor(error)).to.include('http://');
    expect(error.kind).to.equal('unavailable');
  });

  it('suggests https:// when the service speaks TLS', async () => {
    // The fatal alert that OpenSSL sends when a client does not begin with a handshake.
    const error = await fail(await rawService(Buffer.from('15030100020246', 'hex')));
    expect(hintFor(error)).to.include('https://');
    expect(error.kind).to.equal('protocol');
  });
});
