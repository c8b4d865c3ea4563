import {readFileSync, statSync} from 'node:fs';
import {reasonOf} from './system-error.js';

/** The forms of a certificate that Node.js reads (OpenSSL, PEM_read_bio_X509). */
const pem = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/** Names the fault of the file of NODE_EXTRA_CA_CERTS, which Node.js ignores at start; undefined without one. */
export function extraCertificatesFault(): string | undefined {
  const path = process.env['NODE_EXTRA_CA_CERTS'];
  const fault = path && faultOf(path);
  return fault && `NODE_EXTRA_CA_CERTS must name a PEM file: ${path} ${fault}.`;
}

function faultOf(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'is a directory';
    const content = found.isFile() ? readFileSync(path, 'latin1') : '';
    if (pem.test(content)) return undefined;
    // A certificate in DER is a SEQUENCE (X.690 §8.9).
    if (!content.startsWith('0\x82')) return 'holds no certificate';
    return 'is in DER form; convert it with openssl x509 -inform der';
  } catch (error) {
    return `cannot be read: ${reasonOf(error)}`;
  }
}
