import {checkedUrl} from '../client/settings.js';
import type {Client} from '../client/types.js';
import {claimedKind, isMistypedSecret, refuseSecret} from '../domain/secret.js';
import {AppError} from '../errors.js';
import type {Io} from '../terminal/io.js';
import {askSecret, askText, missingInput} from '../terminal/prompt.js';
import {firstConnector} from './doctor.js';
import {existingProfile, type Profile, userProfiles, withProfile} from './profiles/store.js';
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
  io: Io,
  connect: (settings: ServiceSettings) => Promise<Client>,
): Promise<Profile> {
  const baseUrl = await settleBaseUrl(given, io);
  const key = checkApiKey(await settleKey(given, io));
  const client = await connect({
    ...given,
    baseUrl: {value: baseUrl, origin: 'flag'},
    apiKey: {text: key, origin: 'flag'},
  });
  await firstConnector(client);
  const change = {base_url: baseUrl, api_key: key, auth_header: given.authHeader.value};
  const after = await userProfiles().change((saved) => withProfile(saved, name, change, name));
  return existingProfile(after, name);
}

async function settleBaseUrl({baseUrl}: ServiceSettings, io: Io): Promise<string> {
  const {value, origin} = baseUrl;
  if (origin === 'flag' || origin === 'environment') return checkedUrl(value);
  if (io.canPrompt)
    return checkedUrl(await askText(io, 'Base URL of the service', value, checkedUrl));
  if (origin === 'profile') return checkedUrl(value);
  throw missingInput('base URL', 'Use --base-url URL.');
}

/** The key to save: from a flag or a prompt, never from the environment, because the user did not ask to save it. */
async function settleKey(settings: ServiceSettings, io: Io): Promise<string> {
  const {apiKey} = settings.apiKey.origin === 'flag' ? await clientOptions(settings, io) : {};
  if (apiKey !== undefined) return apiKey;
  if (io.canPrompt) return askSecret(io, 'API key', checkApiKey);
  throw missingInput('API key', 'Use --api-key-file PATH (- is stdin).');
}

/** Refuses a mistyped key before any request: a key in our format has a checksum. */
function checkApiKey(key: string): string {
  const kind = claimedKind(key);
  if (kind === 'activationToken' || kind === undefined) {
    refuseSecret(key, 'an API key', 'Use it with: connectorctl connector activate');
  } else if (isMistypedSecret(key)) {
    throw new AppError('usage', 'The API key is mistyped.', {
      hint: 'Copy all of it again. Nothing was sent or saved.',
    });
  }
  return key;
}
