import {X509Certificate} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createSecureContext} from 'node:tls';
import {AppError} from '../../errors.js';
import {errorMessage} from '../../system/system-error.js';

/** Paths of a certificate (chain) and of its private key, both PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * OpenSSL's default suites of TLS 1.3; of TLS 1.2 only suites with forward secrecy and authenticated encryption
 * (RFC 9325 §4.2). Node's default includes RSA key exchange and CBC.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/**
 * Reads a certificate and its key as options of an HTTPS server.
 *
 * @throws AppError when they cannot be read or do not belong together
 */
export function readTls({cert, key}: TlsFiles) {
  const settings = {
    cert: readPem(cert, 'certificate'),
    key: readPem(key, 'private key'),
    minVersion: 'TLSv1.2',
    ciphers,
  } as const;
  try {
    createSecureContext(settings);
    return settings;
  } catch (cause) {
    const message = `The certificate or its key cannot be used: ${errorMessage(cause)}.`;
    throw new AppError('usage', message, {reason: 'certificate-files-invalid', cause});
  }
}

function readPem(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new AppError('usage', `The ${what} ${path} cannot be read: ${errorMessage(cause)}.`, {
      reason: 'certificate-file-unreadable',
      cause,
    });
  }
}

/**
 * The earliest expiry in a certificate chain, in milliseconds since the Unix epoch: clients may reject the chain from
 * then on.
 */
export function expiryOf(chain: Buffer): number {
  // The file may also hold the private key.
  const pem = /-----BEGIN ([\w ]*CERTIFICATE)-----[\s\S]*?-----END \1-----/g;
  const certificates = chain.toString('latin1').match(pem) ?? [];
  return Math.min(...certificates.map((one) => Date.parse(new X509Certificate(one).validTo)));
}
