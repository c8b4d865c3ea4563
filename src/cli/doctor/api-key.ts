import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import type {ServiceSettings} from '../service/settings.js';

/** How to test the API key. */
interface KeyTest {
  readonly settings: ServiceSettings;
  readonly connect: () => Promise<Client>;
  /** The connector whose key it is; undefined for the key of an organization. */
  readonly connectorId: string | undefined;
  /** The file of an activation token, which needs no key; undefined when none is examined. */
  readonly tokenFile: string | undefined;
}

/**
 * Tests the API key by reading its own connector, or else the first connector of the list.
 *
 * @returns the result as a phrase
 */
export async function tryKey(test: KeyTest): Promise<string> {
  const {settings, connect, connectorId, tokenFile} = test;
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
    if (!(error instanceof AppError) || error.kind !== 'auth') throw error;
    throw error.with({hint: keyHint(settings)});
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
