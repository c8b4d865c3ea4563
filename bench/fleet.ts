import {createHash} from 'node:crypto';
import {rm} from 'node:fs/promises';
import type {Request} from 'autocannon';
import {fillPath, routes} from '../src/contract/index.js';
import {newConnectorDefaults} from '../src/domain/records.js';
import {formatSecret, hashSecret} from '../src/domain/secret.js';
import type {StoreRecord} from '../src/store/json-file/format/records.js';
import {writeSnapshot} from '../src/store/json-file/journal/snapshot.js';
import {openJsonFileStore} from '../src/store/json-file/open.js';
import {nodeFiles} from '../src/system/files.js';

// A fleet whose ids, keys and names are derived from numbers, so that they need not be stored.

const organization = 'default';

const bytesOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export const connectorId = (number: number): string => `con_01K${String(number).padStart(23, '0')}`;
export const connectorKey = (number: number): string =>
  formatSecret('connectorKey', bytesOf(`connector ${number}`));
export const organizationKey = formatSecret('organizationKey', bytesOf('organization'));

/** Two hours ago: the fleet was activated then. */
const activatedAt = Date.now() - 2 * 60 * 60 * 1000;

/** The log of stores: errors only. */
const log = {
  debug: () => {},
  info: () => {},
  warn: (details: object, message: string) => console.error(message, details),
  error: (details: object, message: string) => console.error(message, details),
};

/** Opens the store in a directory, in this process. */
export function openFleet(directory: string, now: () => number = Date.now) {
  return openJsonFileStore(directory, {log, now});
}

function* recordsOf(connectors: number, tokens: number): Generator<StoreRecord> {
  yield {
    type: 'apiKey',
    id: 'key_01K00000000000000000000000',
    organization,
    hash: hashSecret(organizationKey),
    description: null,
    createdAt: activatedAt,
    expiresAt: null,
    revokedAt: null,
    revocationReason: null,
    lastUsedAt: null,
  };
  for (let number = 0; number < tokens; number += 1) {
    const hash = hashSecret(`token ${number}`);
    yield {type: 'closedToken', hash, outcome: 'used', expiresAt: activatedAt};
  }
  for (let number = 0; number < connectors; number += 1) {
    yield {
      type: 'connector',
      id: connectorId(number),
      organization,
      name: `connector-${number}`,
      keyHash: hashSecret(connectorKey(number)),
      activatedAt: activatedAt + number,
      ...newConnectorDefaults,
      lastHeartbeatAt: activatedAt + number + 60_000,
    };
  }
}

/**
 * Makes a store as it is after a compaction: a number of connectors, and of used tokens that are still kept.
 */
export async function makeFleet(directory: string, connectors: number, tokens = 0): Promise<void> {
  await rm(directory, {recursive: true, force: true});
  await (await openFleet(directory)).close();
  const start = {segment: 1, chain: 0};
  const records = recordsOf(connectors, tokens);
  await writeSnapshot(nodeFiles, directory, start, records, {
    signal: new AbortController().signal,
    pauseFactor: 0,
  });
}

function request(operation: 'get' | 'heartbeat' | 'list', key: string, id = ''): Request {
  const {method, path} = routes[operation];
  return {method, path: fillPath(path, {id}), headers: {authorization: `Bearer ${key}`}};
}

/** Requests of one kind for up to 2,000 connectors across a fleet, in no particular order, each with its own key. */
function requestsOf(operation: 'get' | 'heartbeat', connectors: number): readonly Request[] {
  const kept = Math.min(connectors, 2000);
  // A step that has no common factor with the size of the fleet, so that each connector occurs once.
  const step = 7919;
  return Array.from({length: kept}, (_, index) => {
    const number = (index * Math.floor(connectors / kept) * step) % connectors;
    return request(operation, connectorKey(number), connectorId(number));
  });
}

/** Heartbeats, each with its connector's own key. */
export const heartbeats = (connectors: number): readonly Request[] =>
  requestsOf('heartbeat', connectors);

/** Reads of one connector each, with its own key. */
export const reads = (connectors: number): readonly Request[] => requestsOf('get', connectors);

/** The list of all connectors. */
export const listRequest: Request = request('list', organizationKey);
