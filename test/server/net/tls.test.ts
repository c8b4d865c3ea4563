import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {expiryOf, readTls} from '../../../src/server/net/tls.js';
import {makeCertificate} from '../../support/network/certificates.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const day = 24 * 60 * 60 * 1000;

describe('a certificate chain', () => {
  const inDirectory = temporaryDirectory();

  it('expires with the first of its certificates', async () => {
    const [leaf, issuer] = await Promise.all([
      makeCertificate('127.0.0.1', 0, 30),
      makeCertificate('issuer.example', 0, 5),
    ]);
    const files = {cert: inDirectory('cert.pem'), key: inDirectory('key.pem')};
    const expiry = (chain: string) => {
      writeFileSync(files.cert, chain);
      writeFileSync(files.key, leaf.key);
      return Math.round((expiryOf(readTls(files).cert) - Date.now()) / day);
    };
    expect(expiry(leaf.cert)).to.equal(30);
    expect(expiry(`leaf\n${leaf.cert}\nissuer\n${issuer.cert}\n`)).to.equal(5);
    expect(expiry(`${leaf.cert}\n${leaf.key}`), 'with the key').to.equal(30);
    expect(expiry(`${leaf.cert}\r\n${issuer.cert}`.replaceAll('\n', '\r\n'))).to.equal(5);
  });
});
