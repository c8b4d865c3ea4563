import {stat} from 'node:fs/promises';
import type {Client, ConnectorReading} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import type {ProfileStore} from '../../service/profiles/store.js';
import {
  type ApiKeySource,
  chooseProfile,
  clientOptions,
  resolveService,
  type ServiceFlagValues,
  serviceFlags,
} from '../../service/settings.js';
import {homeDirectory} from '../../system/user-directories.js';
import {type Candidate, foreignCandidate, type GivenFlags} from './candidates.js';

/** Flags, and their variables, that select the service and the key. */
const serviceFlagNames = ['base-url', 'api-key-file', 'auth-header', 'profile'] as const;

/**
 * The connectors of the service that the line selects, at most one page of them and within the time
 * limit; none without an API key.
 *
 * @param given the flags on the line
 * @param limit milliseconds that the service may take
 */
export async function connectorCandidates(
  given: GivenFlags,
  profiles: ProfileStore,
  limit: number,
): Promise<readonly Candidate[]> {
  const flags: ServiceFlagValues = Object.fromEntries(
    serviceFlagNames.map((name) => {
      const typed = given.get(name)?.replace(/^~(?=\/)/, homeDirectory(process.env));
      return [name, typed ?? (process.env[serviceFlags[name].env ?? ''] || undefined)];
    }),
  );
  const isGiven = (name: string): boolean => given.has(name);
  const settings = resolveService(flags, isGiven, await chooseProfile(flags, isGiven, profiles));
  if (!(await isReadableTwice(settings.apiKey.value))) return [];
  const {createClient} = await import('../../client/create-client.js');
  const options = {...(await clientOptions(settings)), timeout: limit, retries: 0};
  const connectors = await firstConnectors(createClient(options), limit);
  return connectors
    .map(({id, name, status}) =>
      foreignCandidate(id, [name, status && `(${status})`].filter(Boolean).join(' ')),
    )
    .filter((candidate) => candidate !== undefined);
}

/** Whether a key can be read without consuming it, as reading a pipe would. */
async function isReadableTwice(source: ApiKeySource | undefined): Promise<boolean> {
  if (source === undefined || !('file' in source)) return source !== undefined;
  return (await stat(source.file)).isFile();
}

async function firstConnectors(client: Client, limit: number): Promise<ConnectorReading[]> {
  const found: ConnectorReading[] = [];
  const signal = AbortSignal.timeout(limit);
  // The interface defines no parameters, so a strict service may refuse one.
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
