import {AppError} from '../../errors.js';
import {refuseSecretAsId} from '../errors/misplaced-secret.js';
import type {CredentialsFileService} from '../service/settings.js';

/** Which connector beats, and, where a credentials file says so, against which service with which key. */
export interface HeartbeatTarget {
  readonly id: string;
  readonly service: CredentialsFileService | undefined;
}

/**
 * Settles which connector sends its heartbeat: the argument, or the one in the credentials file.
 *
 * @throws AppError `usage` when there is neither, or the two name different connectors
 */
export async function heartbeatTarget(
  id: string | undefined,
  file: string | undefined,
): Promise<HeartbeatTarget> {
  if (id !== undefined) refuseSecretAsId(id);
  if (file === undefined) {
    if (id !== undefined) return {id, service: undefined};
    throw new AppError('usage', 'Which connector?', {
      hint: 'Name it, or use --credentials-file PATH with the file that activate wrote.',
    });
  }
  const {readCredentials} = await import('../activation/credentials-file.js');
  const credentials = await readCredentials(file);
  if (credentials === undefined) {
    throw new AppError('usage', `${file} is not a credentials file.`, {
      hint: 'Make one with: connectorctl connector activate --credentials-file PATH',
    });
  }
  const {connector_id: own, base_url: baseUrl, api_key: apiKey} = credentials;
  if (id !== undefined && own !== null && id !== own) {
    throw new AppError('usage', `${file} holds the credential of ${own}, not of ${id}.`, {
      hint: 'Leave the id out, or name another file.',
    });
  }
  const known = id ?? own;
  if (known === null) {
    throw new AppError('usage', `${file} does not say which connector it is for.`, {
      hint: 'Its service did not tell at activation: name the id too.',
    });
  }
  return {id: known, service: {baseUrl, apiKey: apiKey ?? undefined}};
}
