import {readFileSync, statSync} from 'node:fs';
import {reasonOf} from './system-error.js';

/** The PEM headers of a certificate that Node.js accepts (it ignores those of OpenSSL with `TRUSTED`). */
const pem = /-----BEGIN (?:X509 )?CERTIFICATE-----/;

/** The file of NODE_EXTRA_CA_CERTS: Node.js reads it at start, or ignores it if it is faulty. */
export interface ExtraCertificates {
  /** The value of the variable; undefined if it is unset or empty. */
  readonly path: string | undefined;
  /** What is wrong, as a sentence; undefined when the variable is unset or the file has the header of a certificate. */
  readonly fault: string | undefined;
}

export function extraCertificates(path = process.env['NODE_EXTRA_CA_CERTS']): ExtraCertificates {
  if (!path) return {path: undefined, fault: undefined};
  const defect = defectOf(path);
  const fault = defect && `NODE_EXTRA_CA_CERTS must name a PEM file: ${path} ${defect}.`;
  return {path, fault};
}

function defectOf(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'is a directory';
    const content = found.isFile() ? readFileSync(path, 'latin1') : '';
    if (pem.test(content)) return undefined;
    // A certificate in DER is a SEQUENCE, tag 0x30 (`0`), with a length of two bytes (0x82; X.690 §8.1.3, §8.9).
    if (!content.startsWith('0\x82')) return 'holds no certificate';
    return 'is in DER form; convert it with openssl x509 -inform der';
  } catch (error) {
    return `cannot be read: ${reasonOf(error)}`;
  }
}
