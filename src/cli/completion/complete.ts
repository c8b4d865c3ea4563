import {statSync} from 'node:fs';
import type {Interfaces} from '@oclif/core';
import {readingOf} from '../../client/read/connector.js';
import {limits} from '../../contract/limits.js';
import {parseDuration, type VariableWithoutFlag} from '../../flags.js';
import {userProfiles} from '../../service/profiles/store.js';
import type {ServiceFlagValues} from '../../service/settings.js';
import {homeDirectory} from '../../system/user-directories.js';
import type {Io} from '../../terminal/io.js';
import {
  type Candidate,
  candidatesText,
  complete,
  foreignCandidate,
  type GivenFlags,
} from './candidates.js';

/** The variable for the time limit of the service during completion. */
const timeoutVariable: VariableWithoutFlag = 'CONNECTORCTL_COMPLETION_TIMEOUT';

/**
 * The candidates at the cursor, as the shell scripts read them. It never fails: with a missing key,
 * broken settings or an unavailable service there are no candidates.
 *
 * @param words the unfinished command line without the program's name; the last one is at the cursor
 */
export async function completionText(
  words: readonly string[],
  vocabulary: Interfaces.Config,
  io: Io,
): Promise<string> {
  try {
    const sources = {
      profiles: profileCandidates,
      connectors: (given: GivenFlags) => connectorCandidates(given, io),
    };
    return candidatesText(await complete(words, vocabulary, sources));
  } catch {
    return '';
  }
}

async function profileCandidates(): Promise<readonly Candidate[]> {
  const {profiles} = await userProfiles().read();
  return Object.entries(profiles).flatMap(([name, {base_url: baseUrl}]) =>
    foreignCandidate(name, baseUrl),
  );
}

/** The connectors of the service that the line selects, from one page of the list; none without an API key. */
async function connectorCandidates(given: GivenFlags, io: Io): Promise<readonly Candidate[]> {
  // Loaded here: most lines need no service.
  const {createClient} = await import('../../client/create-client.js');
  const service = await import('../../service/settings.js');
  const flags: ServiceFlagValues = Object.fromEntries(
    service.selectingFlags.map((name) => {
      const typed = given.get(name)?.replace(/^~(?=\/)/, homeDirectory(process.env));
      return [name, typed ?? (process.env[service.serviceFlags[name].env ?? ''] || undefined)];
    }),
  );
  const isGiven = (name: string) => given.has(name);
  const chosen = await service.chooseProfile(flags, isGiven, userProfiles(), undefined, io);
  const settings = service.resolveService(flags, isGiven, chosen);
  const {text: key, file} = settings.apiKey;
  // A key that is read from a pipe here would be missing when the command runs.
  if (file === undefined ? key === undefined : !statSync(file).isFile()) return [];
  const timeout = parseDuration(process.env[timeoutVariable] || '1s', timeoutVariable);
  const options = await service.clientOptions(settings, io);
  const {max} = limits.page;
  const connectors = await createClient({...options, timeout, retries: 0})
    .listConnectors({signal: AbortSignal.timeout(timeout), pageSize: max})
    .all({atMost: max});
  return connectors.map(readingOf).flatMap(({id, name, status}) => {
    const about = [name, status && `(${status})`];
    return foreignCandidate(id, about.filter(Boolean).join(' '));
  });
}
