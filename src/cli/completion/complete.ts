import type {Interfaces} from '@oclif/core';
import {parseDuration} from '../flags.js';
import {ProfileStore} from '../profiles/store.js';
import {type Candidate, candidatesText, complete, foreignCandidate} from './candidates.js';

/** The variable that says how long the service may take while somebody waits for a Tab. */
export const timeoutVariable = 'CONNECTORCTL_COMPLETION_TIMEOUT';

/** Milliseconds, unless the variable says otherwise. */
const defaultTimeout = 1000;

/**
 * What may stand at the cursor, as the shells' scripts read it. Never fails: whatever goes wrong, a
 * key that is missing, settings that are broken, a service that is away, there is nothing to offer.
 *
 * @param words the unfinished command line without the program's name; the last one is at the cursor
 */
export async function completionText(
  words: readonly string[],
  {bin, commands, topics, configDir}: Interfaces.Config,
): Promise<string> {
  const profiles = new ProfileStore(configDir);
  try {
    const candidates = await complete(
      words,
      {bin, commands, topics},
      {
        profiles: () => profileCandidates(profiles),
        connectors: async (given) => {
          const {connectorCandidates} = await import('./connectors.js');
          return connectorCandidates(given, profiles, timeout());
        },
      },
    );
    return candidatesText(candidates);
  } catch {
    return '';
  }
}

async function profileCandidates(store: ProfileStore): Promise<readonly Candidate[]> {
  const {profiles} = await store.read();
  return Object.entries(profiles)
    .map(([name, {base_url: baseUrl}]) => foreignCandidate(name, baseUrl))
    .filter((candidate) => candidate !== undefined);
}

function timeout(): number {
  const {[timeoutVariable]: text} = process.env;
  return text ? parseDuration(text, timeoutVariable) : defaultTimeout;
}

/**
 * Ends the process where Node itself would still wait, after all that it was told, for the name of
 * the service to be looked up: for many seconds, where no name server answers.
 */
export function leaveLookUps(): void {
  const pending = process.getActiveResourcesInfo();
  if (pending.includes('GetAddrInfoReqWrap')) process.kill(process.pid, 'SIGKILL');
}
