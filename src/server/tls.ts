import {readFileSync} from 'node:fs';
import {createSecureContext} from 'node:tls';
import {AppError} from '../errors.js';
import {messageOf} from './message.js';

/** Paths of a certificate (chain) and of its private key, both PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What an HTTPS server is made with, or told to go on with. */
export interface TlsSettings {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: 'TLSv1.2';
}

/**
 * Reads a certificate and its key.
 *
 * @throws AppError when they cannot be read or do not belong together
 */
export function readTls(files: TlsFiles): TlsSettings {
  const tls = {
    cert: readPem(files.cert, 'certificate'),
    key: readPem(files.key, 'private key'),
    minVersion: 'TLSv1.2',
  } as const;
  try {
    createSecureContext(tls);
  } catch (cause) {
    throw new AppError('usage', `The certificate or its key cannot be used: ${messageOf(cause)}.`, {
      hint: 'Both must be PEM files, and the key must be the one that the certificate was made for.',
      cause,
    });
  }
  return tls;
}

function readPem(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new AppError('usage', `The ${what} ${path} cannot be read: ${messageOf(cause)}.`, {
      hint: 'Name readable PEM files with --tls-cert and --tls-key.',
      cause,
    });
  }
}
