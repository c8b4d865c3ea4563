import {readFile} from 'node:fs/promises';
import net from 'node:net';
import type {ConnectionOptions} from 'node:tls';
import {errorMessage} from '../../../system/error-codes.js';
import {StoreError} from '../../store.js';
import {describeHost, type Host, type PostgresLocation} from './location.js';

/** TLS options of one connection, or false for none. */
export type Tls = ConnectionOptions | false;

/**
 * Reads the certificates that a location names.
 *
 * @throws StoreError `misconfigured` when a file cannot be read
 */
export async function readTls({tls}: PostgresLocation): Promise<ConnectionOptions> {
  const {mode, authorities} = tls;
  const [ca, cert, key] = await Promise.all([
    authorities === 'system' ? undefined : readPem('sslrootcert', authorities),
    readPem('sslcert', tls.certificate),
    readPem('sslkey', tls.key),
  ]);
  const verifies =
    mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && ca !== undefined);
  return {
    ...(ca && {ca}),
    ...(cert && {cert}),
    ...(key && {key}),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: verifies,
    // Any certificate of that authority is accepted, as with libpq.
    ...(verifies && mode !== 'verify-full' && {checkServerIdentity: () => undefined}),
  };
}

async function readPem(parameter: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    const message = `The file of ${parameter} cannot be read: ${errorMessage(cause)}.`;
    throw new StoreError('misconfigured', message, {cause});
  }
}

/**
 * Decides whether to use TLS with a server, by the mode or else by what the server offers.
 *
 * @throws StoreError `misconfigured` when TLS is required and the server does not offer it
 */
export async function chooseTls(
  server: Host,
  {tls: {mode}, connectTimeout}: PostgresLocation,
  options: ConnectionOptions,
): Promise<Tls> {
  // A Unix socket does not leave the machine, and the server offers no TLS on it.
  if (mode === 'disable' || server.host.startsWith('/')) return false;
  if (await offersTls(server, connectTimeout)) return options;
  if (mode === 'prefer' || mode === 'allow') return false;
  throw new StoreError(
    'misconfigured',
    `The database at ${describeHost(server)} offers no TLS, and sslmode is ${mode}.`,
  );
}

/** SSLRequest (PostgreSQL documentation §55.7): the length, and a code instead of a version. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Asks a server whether it supports TLS. Rejects with the network error when it cannot be reached. */
function offersTls({host, port}: Host, timeout: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({host, port});
    socket.setTimeout(timeout, () => socket.destroy(new Error('it did not respond in time')));
    socket.once('connect', () => socket.write(sslRequest));
    socket.once('data', (response) => {
      resolve(response.toString('latin1') === 'S');
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it closed the connection')));
  });
}
