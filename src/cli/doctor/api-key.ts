import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {shellWord} from '../../render/notices.js';
import {heartbeatTarget, pendingReason} from '../heartbeat/target.js';
import type {CredentialsFileService, ServiceSettings} from '../service/settings.js';

/** The connector of a credentials file, and its service. */
interface ExaminedTarget {
  /** Undefined until its activation is finished. */
  readonly id: string | undefined;
  readonly service: CredentialsFileService | undefined;
  /** How to finish its activation. */
  readonly pending?: AppError;
}

/** What a credentials file names; an unfinished activation names its service. @throws AppError `usage` */
export async function examinedTarget(file: string): Promise<ExaminedTarget> {
  try {
    return await heartbeatTarget(undefined, file);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== pendingReason) throw error;
    const {baseUrl = ''} = error.details;
    return {id: undefined, service: {baseUrl, apiKey: undefined}, pending: error};
  }
}

/** How to test the API key. */
interface KeyTest {
  readonly settings: ServiceSettings;
  readonly connect: () => Promise<Client>;
  /** The connector whose key it is; undefined for the key of an organization. */
  readonly target: ExaminedTarget | undefined;
  /** The credentials file. */
  readonly file: string | undefined;
  /** The file of an activation token, which needs no key; undefined when none is examined. */
  readonly tokenFile: string | undefined;
}

/**
 * Tests the API key by reading its own connector, or else the first connector of the list.
 *
 * @returns the result as a phrase
 */
export async function tryKey(test: KeyTest): Promise<string> {
  const {settings, connect, target, file = '', tokenFile} = test;
  if (target?.pending !== undefined) throw target.pending;
  const connectorId = target?.id;
  if (tokenFile !== undefined && settings.apiKey.value === undefined) {
    return 'no key is set, and connector activate needs none';
  }
  const client = await connect();
  try {
    if (connectorId === undefined) {
      for await (const _connector of client.listConnectors()) break;
    } else {
      await client.getConnector(connectorId);
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isRefused = error.kind === 'auth' || error.kind === 'not_found';
    if (isRefused && settings.apiKey.origin === 'file') {
      throw error.with({
        hint: `The connector was removed, or its key revoked. To activate again: connectorctl connector activate --force --credentials-file ${shellWord(file)}`,
      });
    }
    throw error.kind === 'auth' ? error.with({hint: keyHint(settings)}) : error;
  }
  if (settings.apiKey.value === undefined) return 'no key is set, and the service requires none';
  return connectorId === undefined
    ? 'the service accepts it'
    : `the service accepts it for ${connectorId}`;
}

/** How to get a key when there is none. */
function keyHint({apiKey, baseUrl, isKeyWithheld, profile}: ServiceSettings): string | undefined {
  if (isKeyWithheld) {
    return `The key of profile ${profile.value} is for another service. Save one for this with: connectorctl login --profile NAME --base-url ${baseUrl.value}`;
  }
  if (apiKey.value !== undefined) return undefined;
  // Without the name, login would save another profile.
  const name = profile.value === undefined ? '' : ` --profile ${profile.value}`;
  return `Save a key with: connectorctl login${name}. Or set CONNECTORCTL_API_KEY or --api-key-file.`;
}
