import {X509Certificate} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {explainDatabaseError} from '../../src/store/postgres/database-error.js';
import type {StoreError} from '../../src/store/store.js';
import {extraCertificates} from '../../src/system/extra-certificates.js';
import {certificate} from '../support/network/certificates.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('the file of NODE_EXTRA_CA_CERTS', () => {
  const at = temporaryDirectory();
  const {raw} = new X509Certificate(certificate);
  const write = (name: string, content: string | Buffer) => () => writeFileSync(at(name), content);

  const cases: readonly (readonly [name: string, make: () => void, fault: RegExp | undefined])[] = [
    ['one certificate', write('one certificate', certificate), undefined],
    ['a directory', () => mkdirSync(at('a directory')), /a directory is a directory\.$/],
    ['DER', write('DER', raw), /DER is in DER form; convert it with openssl x509 -inform der\.$/],
    [
      'a certificate of OpenSSL alone',
      write('a certificate of OpenSSL alone', certificate.replaceAll('CERT', 'TRUSTED CERT')),
      /alone holds no certificate\.$/,
    ],
    ['nothing', write('nothing', ''), /nothing holds no certificate\.$/],
    ['missing', () => undefined, /missing cannot be read: no such file or directory \(ENOENT\)\.$/],
  ];
  for (const [name, make, fault] of cases) {
    it(`is ${fault ? 'faulty, and the fault named,' : 'fine'} with ${name}`, () => {
      make();
      const found = extraCertificates(at(name));
      expect(found.path).to.equal(at(name));
      expect(found.fault ?? '').to.match(fault ?? /^$/);
    });
  }

  it('may be unset', () => {
    for (const path of ['', undefined]) {
      expect(extraCertificates(path ?? '')).to.deep.equal({path: undefined, fault: undefined});
    }
  });

  it('is named in the hint for an authority that is not trusted, with its fault if it has one', () => {
    const hint = (details: Record<string, string>) =>
      hintFor({reason: 'certificate-untrusted', details});
    expect(hint({})).to.match(/^If you trust the service: set NODE_EXTRA_CA_CERTS to a PEM file/);
    expect(hint({extraCertificates: '/ca.pem'})).to.match(
      /^If you trust the service: add .* intermediate .* to the file of NODE_EXTRA_CA_CERTS, \/ca\.pem\.$/,
    );
    expect(hint({extraCertificates: '/ca', extraCertificatesFault: 'It is bad.'})).to.equal(
      'It is bad.',
    );
  });

  it('is named by PostgreSQL too where it is faulty', () => {
    const variable = 'NODE_EXTRA_CA_CERTS';
    const error = Object.assign(new Error('self-signed'), {code: 'DEPTH_ZERO_SELF_SIGNED_CERT'});
    const said = () => (explainDatabaseError(error, 'db:5432') as StoreError).message;
    process.env[variable] = at('');
    try {
      expect(said()).to.match(
        /db:5432 is not trusted: self-signed\. NODE_EXTRA_CA_CERTS must name a PEM file: \S+ is a directory\.$/,
      );
    } finally {
      delete process.env[variable];
    }
    expect(said()).to.match(/is not trusted: self-signed\.$/);
  });
});
