import {checkedUrl, readBaseUrl} from '../client/settings.js';
import type {Client} from '../client/types.js';
import {refuseSecret} from '../domain/misplaced-secret.js';
import {claimedKind, isWellFormedSecret} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {escapeControl} from '../terminal/escape.js';
import {acceptedBy, askSecret, askText, missingInput} from '../terminal/prompt.js';
import {writeError} from '../terminal/streams.js';
import {type Profile, type ProfileStore, withProfile} from './profiles/store.js';
import {clientOptions, type ServiceSettings} from './settings.js';

/**
 * Tests a service and its key by reading the first connector of the list, and saves them as the profile
 * in use. It prompts for missing values.
 *
 * @param name of the profile; checked by the caller
 * @param given flags, environment, and the existing profile of this name
 * @param connect creates a client for the resolved settings
 * @throws AppError `usage` naming the flag when a prompt is impossible, and as the client does when
 * the service refuses the key; nothing is saved then
 */
export async function login(
  name: string,
  given: ServiceSettings,
  profiles: ProfileStore,
  promptAllowed: boolean,
  connect: (settings: ServiceSettings) => Promise<Client>,
): Promise<Profile> {
  const baseUrl = await settleBaseUrl(given, promptAllowed);
  const ownKey = await givenKey(given);
  const tryKey = async (text: string): Promise<string> => {
    const key = checkApiKey(text);
    const client = await connect({
      ...given,
      baseUrl: {value: baseUrl, origin: 'flag'},
      apiKey: {value: {text: key}, origin: 'flag'},
    });
    await client.listConnectors().toArray(1);
    return key;
  };
  const key =
    ownKey === undefined ? await promptAcceptedKey(promptAllowed, tryKey) : await tryKey(ownKey);
  const {authHeader} = given;
  const profile: Profile = {
    base_url: baseUrl,
    ...(authHeader.origin === 'default' ? {} : {auth_header: authHeader.value}),
    api_key: key,
  };
  await profiles.change((saved) => withProfile(saved, name, profile, name));
  return profile;
}

async function settleBaseUrl({baseUrl}: ServiceSettings, promptAllowed: boolean): Promise<string> {
  const {value, origin} = baseUrl;
  if (origin === 'flag' || origin === 'environment') return checkedUrl(value);
  if (promptAllowed) {
    const validate = acceptedBy((text) => readBaseUrl(text.trim()));
    return checkedUrl(await askText('Base URL of the service', value, validate));
  }
  if (origin === 'profile') return checkedUrl(value);
  throw missingInput('base URL', 'Use --base-url URL.');
}

/** The key from a flag or the environment. A login replaces the key of the profile. */
async function givenKey(settings: ServiceSettings): Promise<string | undefined> {
  const {origin} = settings.apiKey;
  if (origin !== 'flag' && origin !== 'environment') return undefined;
  return (await clientOptions(settings)).apiKey;
}

/** Whether another key may help. */
function isRefusedKey({kind, reason = ''}: AppError): boolean {
  return kind === 'auth' || reason.startsWith('api-key-');
}

/** Prompts until the client and the service accept the key. */
async function promptAcceptedKey(
  promptAllowed: boolean,
  tryKey: (key: string) => Promise<string>,
): Promise<string> {
  if (!promptAllowed) {
    const hint = 'Use --api-key-file PATH (- is stdin) or set CONNECTORCTL_API_KEY.';
    throw missingInput('API key', hint);
  }
  for (;;) {
    const key = await askSecret('API key', acceptedBy(checkApiKey));
    try {
      return await tryKey(key);
    } catch (error) {
      if (!(error instanceof AppError) || !isRefusedKey(error)) throw error;
      writeError(`${escapeControl(error.message)}. Try another key, or press Ctrl-C.`);
    }
  }
}

/** A key with our prefix has a checksum, so a typing error is found before any request. */
function checkApiKey(key: string): string {
  const kind = claimedKind(key);
  if (kind === 'activationToken') {
    refuseSecret(key, 'an API key', 'Use it with: connectorctl connector activate');
  } else if (kind !== undefined && !isWellFormedSecret(kind, key)) {
    throw new AppError('usage', 'The API key is mistyped or incomplete.', {
      hint: 'Copy all of it again. Nothing was sent or saved.',
    });
  }
  return key;
}
