import {AppError} from '../../errors.js';
import {warnOfReaders} from '../../service/secret-input.js';
import type {Io} from '../../terminal/io.js';
import {shownWord} from '../../terminal/notices.js';
import {requireId} from '../id-words.js';
import type {Credentials} from './credentials.js';

/**
 * The connector to send heartbeats for: from the argument, or from the credentials file.
 *
 * @returns the id, and the service and its key when a credentials file names them
 * @throws AppError `usage` without an id, for an unusable file, or when the two name different connectors
 */
export async function heartbeatTarget(id: string | undefined, file: string | undefined, io: Io) {
  if (id !== undefined) requireId(id, true);
  if (file === undefined) {
    if (id !== undefined) return {id, service: undefined};
    throw new AppError('usage', 'Missing connector id.', {
      hint: 'Pass the id, or --credentials-file PATH with the file that activate or enroll wrote.',
    });
  }
  const found = await readCredentials(file, io);
  if (found instanceof AppError) throw found;
  const {connector_id: own, base_url: baseUrl, api_key: apiKey} = found;
  if (id !== undefined && own !== null && id !== own) {
    throw new AppError('usage', `${file} holds the credential of ${own}, not of ${id}.`, {
      hint: `Omit the id, or name another file. For a command, write: connectorctl connector run --credentials-file ${shownWord(file)} -- COMMAND`,
    });
  }
  const known = id ?? own;
  if (known === null) {
    throw new AppError('usage', `${file} has no connector id.`, {
      hint: 'The service returned none at activation. Pass the id as well.',
    });
  }
  return {id: known, service: {baseUrl, apiKey: apiKey ?? undefined}};
}

/**
 * The credentials in a file, or the error for a file without any: a first start does not throw it.
 *
 * @throws AppError `usage` for a file that cannot be read
 */
export async function readCredentials(path: string, io: Io): Promise<Credentials | AppError> {
  const {CredentialsFiles} = await import('./files.js');
  const {file, pending} = await new CredentialsFiles(path).read();
  if (file.kind === 'unusable') {
    throw new AppError('usage', `Cannot read ${path}: ${file.reason}.`, {
      hint: 'Choose another file with --credentials-file PATH.',
    });
  }
  if (file.kind === 'credentials') {
    warnOfReaders(path, 'the credentials', io);
    return file.credentials;
  }
  const isBegun = pending.kind === 'unfinished' || pending.kind === 'credentials';
  if (file.kind === 'absent' && isBegun) {
    return new AppError('usage', `${path} is pending: its activation is not finished.`, {
      hint: `Finish it with: connectorctl connector activate --credentials-file ${shownWord(path)}`,
    });
  }
  const faults = {absent: 'does not exist', unfinished: 'is not a credentials file'} as const;
  const fault = file.kind === 'other' ? file.what : faults[file.kind];
  return new AppError('usage', `${path} ${fault}.`, {
    hint: 'Create one with: connectorctl connector activate --credentials-file PATH',
  });
}
