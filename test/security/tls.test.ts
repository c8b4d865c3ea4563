import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {connect} from 'node:tls';
import {expect} from 'chai';
import {generate} from 'selfsigned';
import {type Service, startService} from '../support/child.js';
import {temporaryFolder} from '../support/temporary-folder.js';

/** The serial number of the certificate that a service shows, or why there is no connection. */
async function shownBy(url: string, options: {maxVersion?: 'TLSv1.1'} = {}): Promise<string> {
  const {hostname, port} = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    // Left to itself OpenSSL would not even try a version this old.
    ...(options.maxVersion && {
      ...options,
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
  });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().serialNumber;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}

describe('serve with TLS, as a process', () => {
  const inFolder = temporaryFolder();
  let service: Service;
  let serial: string;

  const makeCertificate = async (): Promise<void> => {
    const made = await generate([{name: 'commonName', value: '127.0.0.1'}], {keyType: 'ec'});
    await writeFile(inFolder('cert.pem'), made.cert);
    await writeFile(inFolder('key.pem'), made.private);
  };

  /** Sends SIGHUP and waits until the log tells what came of it. */
  const hangUp = async (words: string): Promise<void> => {
    const said = service.stderr().length;
    service.process.kill('SIGHUP');
    while (!service.stderr().slice(said).includes(words)) {
      await once(service.process.stderr!, 'data');
    }
  };

  beforeEach(async () => {
    await makeCertificate();
    const tls = ['--tls-cert', inFolder('cert.pem'), '--tls-key', inFolder('key.pem')];
    service = await startService(inFolder('store'), tls);
    serial = await shownBy(service.url);
    expect(serial).to.match(/^[0-9A-F]+$/);
  });
  afterEach(() => service.stop('SIGKILL'));

  it('shows a new certificate after SIGHUP, and lets open connections be', async () => {
    const {hostname, port} = new URL(service.url);
    const open = connect({host: hostname, port: Number(port), rejectUnauthorized: false});
    await once(open, 'secureConnect');
    await makeCertificate();
    expect(await shownBy(service.url)).to.equal(serial);
    await hangUp('read again');
    expect(await shownBy(service.url)).not.to.equal(serial);
    open.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(open, 'data'))[0])).to.match(/^HTTP\/1\.1 200 OK/);
    open.destroy();
  });

  it('keeps the old certificate when the new one cannot be used', async () => {
    await writeFile(inFolder('cert.pem'), 'no certificate');
    await hangUp('stays in use');
    expect(await shownBy(service.url)).to.equal(serial);
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });

  it('speaks no TLS older than 1.2', async () => {
    expect(await shownBy(service.url, {maxVersion: 'TLSv1.1'})).to.match(/PROTOCOL_VERSION/);
  });
});

describe('serve without TLS, as a process', () => {
  const inFolder = temporaryFolder();

  it('stops in order when its terminal is closed', async () => {
    const service = await startService(inFolder('store'));
    expect(await service.stop('SIGHUP')).to.deep.equal({code: 0, signal: null});
  });
});
