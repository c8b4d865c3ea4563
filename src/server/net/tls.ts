import {X509Certificate} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {createSecureContext} from 'node:tls';
import {AppError} from '../../errors.js';
import {errorMessage} from '../../system/system-error.js';

/** Paths of a certificate (chain) and of its private key, both PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** TLS options of an HTTPS server, for its creation and for a reload. */
export interface TlsSettings {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: 'TLSv1.2';
  readonly ciphers: string;
}

/**
 * All of TLS 1.3; of TLS 1.2 only suites with forward secrecy and authenticated encryption (RFC 9325
 * §4.2). Node's default still includes RSA key exchange and CBC.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/** Properties of a usable certificate and key that an operator should know. */
export interface TlsState {
  /** When the first certificate of the chain to expire does so, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** Whether every user of the machine may read or write the key. */
  readonly isKeyWorldAccessible: boolean;
}

/**
 * Reads a certificate and its key.
 *
 * @throws AppError when they cannot be read or do not belong together
 */
export function readTls(files: TlsFiles): {settings: TlsSettings; state: TlsState} {
  const settings = {
    cert: readPem(files.cert, 'certificate'),
    key: readPem(files.key, 'private key'),
    minVersion: 'TLSv1.2',
    ciphers,
  } as const;
  try {
    createSecureContext(settings);
    const state = {
      expiresAt: expiryOf(settings.cert),
      isKeyWorldAccessible: isKeyWorldAccessible(files.key),
    };
    return {settings, state};
  } catch (cause) {
    throw new AppError(
      'usage',
      `The certificate or its key cannot be used: ${errorMessage(cause)}.`,
      {
        reason: 'certificate-files-invalid',
        cause,
      },
    );
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

/** A client refuses a chain as soon as one certificate of it has expired. */
function expiryOf(chain: Buffer): number {
  const pems = chain.toString('latin1').split(/(?<=-----END [\w ]*CERTIFICATE-----)/);
  const certificates = pems.filter((pem) => pem.includes('-----BEGIN'));
  return Math.min(...certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
}

/** A group may share a key (0640); world access is never intended. */
function isKeyWorldAccessible(path: string): boolean {
  return (statSync(path).mode & 0o006) !== 0;
}
