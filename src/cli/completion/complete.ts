import {statSync} from 'node:fs';
import type {Interfaces} from '@oclif/core';
import {readingOf} from '../../client/read/connector.js';
import {limits} from '../../contract/limits.js';
import {parseDuration, type VariableWithoutFlag} from '../../flags.js';
import {type ProfileStore, userProfiles} from '../../service/profiles/store.js';
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

/** Time limit of the service in milliseconds, unless the variable sets another. */
const defaultTimeout = 1000;

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
  const store = userProfiles();
  try {
    const candidates = await complete(words, vocabulary, {
      profiles: () => profileCandidates(store),
      connectors: (given) => connectorCandidates(given, store, io),
    });
    return candidatesText(candidates);
  } catch {
    return '';
  }
}

async function profileCandidates(store: ProfileStore): Promise<readonly Candidate[]> {
  const {profiles} = await store.read();
  return Object.entries(profiles).flatMap(([name, {base_url: baseUrl}]) =>
    foreignCandidate(name, baseUrl),
  );
}

/** The connectors of the service that the line selects, from one page of the list; none without an API key. */
async function connectorCandidates(
  given: GivenFlags,
  profiles: ProfileStore,
  io: Io,
): Promise<readonly Candidate[]> {
  // Loaded here: most lines need no service.
  const [
    {createClient},
    {chooseProfile, clientOptions, resolveService, selectingFlags, serviceFlags},
  ] = await Promise.all([
    import('../../client/create-client.js'),
    import('../../service/settings.js'),
  ]);
  const flags: ServiceFlagValues = Object.fromEntries(
    selectingFlags.map((name) => {
      const typed = given.get(name)?.replace(/^~(?=\/)/, homeDirectory(process.env));
      return [name, typed ?? (process.env[serviceFlags[name].env ?? ''] || undefined)];
    }),
  );
  const isGiven = (name: string): boolean => given.has(name);
  const settings = resolveService(
    flags,
    isGiven,
    await chooseProfile(flags, isGiven, profiles, undefined, io),
  );
  const {text: key, file} = settings.apiKey;
  // Reading a pipe would take the key from the command.
  if (file === undefined ? key === undefined : !statSync(file).isFile()) return [];
  const {[timeoutVariable]: text} = process.env;
  const timeout = text ? parseDuration(text, timeoutVariable) : defaultTimeout;
  const client = createClient({...(await clientOptions(settings, io)), timeout, retries: 0});
  const page = {signal: AbortSignal.timeout(timeout), pageSize: limits.page.max};
  const connectors = (await client.listConnectors(page).all({atMost: limits.page.max})).map(
    readingOf,
  );
  return connectors.flatMap(({id, name, status}) =>
    foreignCandidate(id, [name, status && `(${status})`].filter(Boolean).join(' ')),
  );
}

/**
 * Ends the process during a DNS lookup, which Node cannot abort: without a response from the name server,
 * `process.exit` would wait for many seconds.
 */
export function killDuringLookup(): void {
  const pending = process.getActiveResourcesInfo();
  if (pending.includes('GetAddrInfoReqWrap')) process.kill(process.pid, 'SIGKILL');
}
