import type {Interfaces} from '@oclif/core';
import {parseDuration, type VariableWithoutFlag} from '../../flags.js';
import {ProfileStore} from '../../service/profiles/store.js';
import {userDirectory} from '../../system/user-directories.js';
import {type Candidate, candidatesText, complete, foreignCandidate} from './candidates.js';

/** The variable for the time limit of the service during completion. */
const timeoutVariable: VariableWithoutFlag = 'CONNECTORCTL_COMPLETION_TIMEOUT';

/** Milliseconds, when the variable is not set. */
const defaultTimeout = 1000;

/**
 * The candidates at the cursor, as the shell scripts read them. It never fails: with a missing key,
 * broken settings or an unavailable service there are no candidates.
 *
 * @param words the unfinished command line without the program's name; the last one is at the cursor
 */
export async function completionText(
  words: readonly string[],
  {bin, commands, topics}: Interfaces.Config,
): Promise<string> {
  const profiles = new ProfileStore(userDirectory('config', process.env));
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
 * Ends the process during a DNS lookup, which Node cannot abort: without a response from the name server,
 * `process.exit` would wait for many seconds.
 */
export function killDuringLookup(): void {
  const pending = process.getActiveResourcesInfo();
  if (pending.includes('GetAddrInfoReqWrap')) process.kill(process.pid, 'SIGKILL');
}
