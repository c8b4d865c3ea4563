import {execFile} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {clientWithoutDelays, failure} from '../support/client.js';
import {makeCertificate} from '../support/network/certificates.js';
import {tcpService} from '../support/network/tcp-service.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';

describe('the TLS certificate of a service', () => {
  const at = temporaryDirectory();

  /** Runs a client in a separate process that trusts certificates by NODE_EXTRA_CA_CERTS, and returns its output. */
  async function outputWithTrusted(certificates: readonly string[], urls: readonly string[]) {
    writeFileSync(at('trusted.pem'), certificates.join('\n'));
    const script = fileURLToPath(new URL('../support/values/read-connector.ts', import.meta.url));
    const {stdout} = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', script, ...urls],
      {env: {...process.env, NODE_EXTRA_CA_CERTS: at('trusted.pem')}},
    );
    return stdout.trim().split('\n');
  }

  for (const variable of [undefined, '0']) {
    it(`is rejected by the client when it is self-signed, with NODE_TLS_REJECT_UNAUTHORIZED ${variable}`, async () => {
      const certificate = await makeCertificate('127.0.0.1', -1, 1);
      const service = await thirdPartyService(json({id: 'a'}), certificate);
      const {client, pauses} = clientWithoutDelays(service.url, {apiKey: 'sesame'});
      const {emitWarning} = process;
      // Node's warning about the variable would stand between the results of the tests.
      process.emitWarning = () => undefined;
      if (variable !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = variable;
      try {
        const error = await failure(() => client.getConnector('a'));
        expect(error.kind).to.equal('unavailable');
        expect(error.message).to.match(/is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/);
        expect(hintFor(error)).to.include('NODE_EXTRA_CA_CERTS');
      } finally {
        process.emitWarning = emitWarning;
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      }
      expect(pauses).to.deep.equal([]);
      expect(service.seen).to.deep.equal([]);
    });
  }

  // Alerts by their number: RFC 8446 §6.2 and RFC 6066 §3.
  for (const [alert, reason] of [
    [40, 'handshake failure'],
    [70, 'protocol version'],
    [112, 'unrecognized name'],
    [116, 'certificate required'],
  ] as const) {
    it(`is not reached when the service sends the alert ${alert}, and the error has OpenSSL's reason`, async () => {
      const record = Buffer.from([0x15, 3, 3, 0, 2, 2, alert]);
      const {url} = await tcpService((socket) => socket.once('data', () => socket.end(record)));
      const {client} = clientWithoutDelays(url.replace('http:', 'https:'));
      const error = await failure(() => client.getConnector('a'));
      expect(error.reason).to.equal('tls-failed');
      expect(error.message).to.match(new RegExp(`: no secure connection to .*${reason}\\)$`));
    });
  }

  it('is accepted by the client when it is trusted, unless it is expired, not yet valid or for another host', async () => {
    const certificates = await Promise.all([
      makeCertificate('127.0.0.1', -1, 1),
      makeCertificate('127.0.0.1', -9, -1),
      makeCertificate('127.0.0.1', 1, 9),
      makeCertificate('connectors.example', -1, 1),
    ]);
    const services = await Promise.all(
      certificates.map((one) => thirdPartyService(json({id: 'a'}), one)),
    );
    const lines = await outputWithTrusted(
      certificates.map(({cert}) => cert),
      services.map(({url}) => url),
    );
    expect(lines).to.have.length(4);
    expect(lines[0]).to.equal('a');
    expect(lines[1]).to.match(/^unavailable: .* has expired \(CERT_HAS_EXPIRED\)$/);
    expect(lines[2]).to.match(/^unavailable: .* is not valid yet \(CERT_NOT_YET_VALID\)$/);
    expect(lines[3]).to.match(/is for another host name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/);
  });
});
