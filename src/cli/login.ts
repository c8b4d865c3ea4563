import {AppError} from '../errors.js';
import {checkBaseUrl, checkProfileName, type ProfileStore} from './profiles.js';
import {askSecret, askText} from './prompt.js';
import {clientOptions, type ServiceSettings} from './settings.js';
import {canPrompt} from './terminal.js';

/** What login saved; the key is in the file, and nowhere else. */
export interface LoginResult {
  readonly name: string;
  readonly base_url: string;
  readonly api_key_file: string;
}

/**
 * Settles a service and its key, tries them by reading the first connector of the list, and saves
 * them as the profile in use. What is not given is asked for.
 *
 * @throws AppError `usage` naming the flag where nobody can be asked, and as the client does when
 * the service refuses; nothing is saved then
 */
export async function login(
  settings: ServiceSettings,
  profiles: ProfileStore,
  flags: {readonly name: string; readonly 'no-input': boolean},
): Promise<LoginResult> {
  const name = checkProfileName(flags.name);
  await profiles.read();
  const promptAllowed = canPrompt(flags['no-input']);
  const baseUrl = checkBaseUrl(await settleBaseUrl(settings, promptAllowed));
  const options = await clientOptions(settings);
  const isGiven = settings.apiKey.origin === 'flag' || settings.apiKey.origin === 'environment';
  const apiKey = isGiven && options.apiKey ? options.apiKey : await promptKey(promptAllowed);

  const {createClient} = await import('../client/create-client.js');
  const client = createClient({...options, baseUrl, apiKey});
  for await (const _connector of client.listConnectors()) break;

  const keyFile = await profiles.writeKey(name, apiKey);
  const authHeader =
    settings.authHeader.origin === 'default' ? {} : {auth_header: settings.authHeader.value};
  await profiles.change((saved) => ({
    ...saved,
    current: name,
    profiles: {
      ...saved.profiles,
      [name]: {base_url: baseUrl, api_key_file: keyFile, ...authHeader},
    },
  }));
  return {name, base_url: baseUrl, api_key_file: keyFile};
}

async function settleBaseUrl({baseUrl}: ServiceSettings, promptAllowed: boolean): Promise<string> {
  if (baseUrl.origin === 'flag' || baseUrl.origin === 'environment') return baseUrl.value;
  if (promptAllowed) {
    const answer = await askText('Base URL of the service', {
      default: baseUrl.value,
      validate: (text) => URL.canParse(text.trim()) || 'Please enter a whole URL.',
    });
    return answer.trim();
  }
  throw new AppError('usage', 'No base URL was given, and nobody can be asked for it.', {
    hint: 'Use --base-url URL.',
  });
}

async function promptKey(promptAllowed: boolean): Promise<string> {
  if (promptAllowed) return (await askSecret('API key')).trim();
  throw new AppError('usage', 'No API key was given, and nobody can be asked for it.', {
    hint: 'Use --api-key-file PATH (- is stdin) or set CONNECTORCTL_API_KEY.',
  });
}
