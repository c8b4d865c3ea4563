import {stat} from 'node:fs/promises';
import {homedir} from 'node:os';
import type {Client, ConnectorReading} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import {serviceFlags} from '../flags.js';
import type {ProfileStore} from '../profiles/store.js';
import {
  type ApiKeySource,
  chooseProfile,
  clientOptions,
  resolveService,
  type ServiceFlagValues,
} from '../service/settings.js';
import {type Candidate, foreignCandidate} from './candidates.js';
import type {Line} from './command-line.js';

/** Flags and variables that say which service is asked, and with which key. */
const asked = ['base-url', 'api-key-file', 'auth-header', 'profile'] as const;

/**
 * The connectors of the service that the line is about, as far as one page of its list and the time
 * go; none without an API key.
 *
 * @param given the flags that stand on the line
 * @param limit milliseconds that the service may take
 */
export async function connectorCandidates(
  given: Line['given'],
  profiles: ProfileStore,
  limit: number,
): Promise<readonly Candidate[]> {
  const flags: ServiceFlagValues = Object.fromEntries(
    asked.map((name) => {
      const typed = given.get(name)?.replace(/^~(?=\/)/, homedir());
      return [name, typed ?? (process.env[serviceFlags[name].env ?? ''] || undefined)];
    }),
  );
  const isGiven = (name: string): boolean => given.has(name);
  const settings = resolveService(flags, isGiven, await chooseProfile(flags, isGiven, profiles));
  if (!(await isAtHand(settings.apiKey.value))) return [];
  const {createClient} = await import('../../client/create-client.js');
  const options = {...(await clientOptions(settings)), timeout: limit, retries: 0};
  const connectors = await firstConnectors(createClient(options), limit);
  return connectors
    .map(({id, name, status}) =>
      foreignCandidate(id, [name, status && `(${status})`].filter(Boolean).join(' ')),
    )
    .filter((candidate) => candidate !== undefined);
}

/** Whether there is a key that can be read without taking it away from somebody, as from a pipe. */
async function isAtHand(source: ApiKeySource | undefined): Promise<boolean> {
  if (source === undefined || !('file' in source)) return source !== undefined;
  return (await stat(source.file)).isFile();
}

async function firstConnectors(client: Client, limit: number): Promise<ConnectorReading[]> {
  const found: ConnectorReading[] = [];
  const signal = AbortSignal.timeout(limit);
  // The interface describes no parameters: a strict service may refuse one.
  for (const pageSize of [limits.page.max, undefined]) {
    try {
      for await (const connector of client.listConnectors({signal, pageSize})) {
        if (found.push(connector) === limits.page.max) break;
      }
      return found;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.kind !== 'usage' || found.length > 0) return found;
    }
  }
  return found;
}
