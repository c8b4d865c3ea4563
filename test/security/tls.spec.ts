import {X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {request} from 'node:https';
import {text} from 'node:stream/consumers';
import {type ConnectionOptions, connect, getCiphers, type TLSSocket} from 'node:tls';
import {expect} from 'chai';
import {generate} from 'selfsigned';
import {makeCertificate, writeTls} from '../support/network/certificates.js';
import {type Service, startService} from '../support/process/child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

/** Connects to a service, whatever its certificate. */
function connectTo(url: string, options: ConnectionOptions = {}): TLSSocket {
  const {hostname: host, port} = new URL(url);
  return connect({host, port: Number(port), rejectUnauthorized: false, ...options});
}

/** The serial number of a service's certificate, or the error code of the connection. */
async function shownBy(url: string, options?: ConnectionOptions): Promise<string> {
  const socket = connectTo(url, options);
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().serialNumber;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}

describe('TLS of serve', () => {
  const inDirectory = temporaryDirectory();
  let service: Service;

  // SIGHUP too: the new certificate replaces all TLS settings.
  for (const reloads of [false, true]) {
    it(`offers the usual suites of TLS 1.3, and of TLS 1.2 neither RSA key exchange nor CBC ${reloads ? 'after SIGHUP' : 'from the start'}`, async () => {
      const made = await generate([{name: 'commonName', value: '127.0.0.1'}], {keyType: 'rsa'});
      const files = writeTls(inDirectory, {cert: made.cert, key: made.private});
      const tls = ['--tls-cert', files.cert, '--tls-key', files.key];
      service = await startService(inDirectory('store'), tls);
      if (reloads) {
        service.process.kill('SIGHUP');
        await service.until(/certificate reloaded/);
      }
      const agreed: string[] = [];
      for (const cipher of getCiphers()) {
        if (await agrees(service.url, cipher.toUpperCase())) agreed.push(cipher);
      }
      expect(agreed).to.have.members([
        'ecdhe-rsa-aes128-gcm-sha256',
        'ecdhe-rsa-aes256-gcm-sha384',
        'ecdhe-rsa-chacha20-poly1305',
        'tls_aes_128_gcm_sha256',
        'tls_aes_256_gcm_sha384',
        'tls_chacha20_poly1305_sha256',
      ]);
    });
  }
});

/** Whether a service accepts a cipher suite. */
async function agrees(url: string, cipher: string): Promise<boolean> {
  const options: ConnectionOptions = cipher.startsWith('TLS_')
    ? {minVersion: 'TLSv1.3', ciphers: cipher}
    : {maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0`};
  return /^[0-9A-F]+$/.test(await shownBy(url, options));
}

describe('serve with TLS, as a process', () => {
  const inDirectory = temporaryDirectory();
  let service: Service;
  let serial: string;

  const renewCertificate = async () =>
    writeTls(inDirectory, await makeCertificate('127.0.0.1', 0, 30));

  /** Sends SIGHUP and waits for these words in the log. */
  const hangUp = async (words: string): Promise<void> => {
    const start = service.stderr().length;
    service.process.kill('SIGHUP');
    while (!service.stderr().slice(start).includes(words)) {
      await once(service.process.stderr!, 'data');
    }
  };

  beforeEach(async () => {
    const files = await renewCertificate();
    const tls = ['--tls-cert', files.cert, '--tls-key', files.key];
    service = await startService(inDirectory('store'), tls);
    serial = await shownBy(service.url);
    expect(serial).to.match(/^[0-9A-F]+$/);
  });

  it('uses a new certificate after SIGHUP, and keeps open connections', async () => {
    const open = connectTo(service.url);
    await once(open, 'secureConnect');
    await renewCertificate();
    expect(await shownBy(service.url)).to.equal(serial);
    await hangUp('certificate reloaded');
    expect(await shownBy(service.url)).not.to.equal(serial);
    open.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(open, 'data'))[0])).to.match(/^HTTP\/1\.1 200 OK/);
    open.destroy();
  });

  it('keeps the current certificate when the new one is not usable', async () => {
    await writeFile(inDirectory('cert.pem'), 'no certificate');
    await hangUp('keeping the current one');
    expect(await shownBy(service.url)).to.equal(serial);
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });

  it('shows in its metrics when its certificate expires', async () => {
    const {validTo} = new X509Certificate(await readFile(inDirectory('cert.pem')));
    const sent = request(`${service.url}/metrics`, {rejectUnauthorized: false, agent: false}).end();
    const [response] = await once(sent, 'response');
    expect(await text(response)).to.include(
      `\nconnectorctl_tls_certificate_expiry_timestamp_seconds ${Date.parse(validTo) / 1000}\n`,
    );
  });

  it('refuses TLS versions older than 1.2', async () => {
    // By default OpenSSL does not even try a version this old.
    const old = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const;
    expect(await shownBy(service.url, old)).to.match(/PROTOCOL_VERSION/);
  });
});
