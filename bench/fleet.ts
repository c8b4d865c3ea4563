import {createHash} from 'node:crypto';
import {rm} from 'node:fs/promises';
import type {Request} from 'autocannon';
import {fillPath, routes} from '../src/contract/index.js';
import {firstKey} from '../src/domain/activation.js';
import {
  type ApiKeyRecord,
  type ConnectorRecord,
  notRevoked,
  type TokenRecord,
} from '../src/domain/records.js';
import {formatSecret, hashSecret} from '../src/domain/secret.js';
import {openJsonFileStore} from '../src/store/json-file/open.js';

// A fleet whose ids, keys and names are derived from numbers, so that they need not be stored.

const organization = 'default';

const bytesOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export const connectorId = (number: number): string => `con_01K${String(number).padStart(23, '0')}`;
export const connectorKey = (number: number): string =>
  formatSecret('connectorKey', bytesOf(`connector ${number}`));
const activationToken = (number: number): string =>
  formatSecret('activationToken', bytesOf(`token ${number}`));
export const organizationKey = formatSecret('organizationKey', bytesOf('organization'));

/** Two hours ago: the fleet was activated then. */
const activatedAt = Date.now() - 2 * 60 * 60 * 1000;

/** The log of stores: errors only. */
export const log = {
  debug: () => {},
  info: () => {},
  warn: (details: object, message: string) => console.error(message, details),
  error: (details: object, message: string) => console.error(message, details),
};

/** Opens the store in a directory, in this process. */
export function openFleet(directory: string, now: () => number = Date.now) {
  return openJsonFileStore(directory, {log, now});
}

const apiKey: ApiKeyRecord = {
  id: 'key_01K00000000000000000000000',
  organization,
  access: 'full',
  hash: hashSecret(organizationKey),
  description: null,
  createdAt: activatedAt,
  expiresAt: null,
  ...notRevoked,
  lastUsedAt: null,
};

const connector = (number: number): ConnectorRecord => ({
  id: connectorId(number),
  organization,
  name: `connector-${number}`,
  keyHash: hashSecret(connectorKey(number)),
  activatedAt: activatedAt + number,
  ...firstKey,
  lastHeartbeatAt: activatedAt + number + 60_000,
});

/** A token that is valid for a day. */
const unusedToken = (number: number): TokenRecord => ({
  hash: hashSecret(activationToken(number)),
  organization,
  description: null,
  createdAt: activatedAt,
  expiresAt: activatedAt + 24 * 60 * 60 * 1000,
  reissues: null,
  redemption: null,
});

/** Records written at a time. */
const batch = 10_000;

/** Makes a store as it is after a compaction: a number of connectors, and of unused tokens. */
export async function makeFleet(directory: string, connectors: number, unused = 0): Promise<void> {
  await rm(directory, {recursive: true, force: true});
  const store = await openFleet(directory);
  const {writer} = store.opened();
  await writer.write((tx) => tx.write({apiKeys: [apiKey]}));
  const numbers = (from: number, most: number) =>
    Array.from({length: Math.min(batch, most - from)}, (_, index) => from + index);
  for (let from = 0; from < unused; from += batch) {
    await writer.write((tx) => tx.write({tokens: numbers(from, unused).map(unusedToken)}));
  }
  for (let from = 0; from < connectors; from += batch) {
    await writer.write((tx) => tx.write({connectors: numbers(from, connectors).map(connector)}));
  }
  await store.compact();
  await store.close();
}

function request(operation: 'heartbeat' | 'list', key: string, id = ''): Request {
  const {method, path} = routes[operation];
  return {method, path: fillPath(path, {id}), headers: {authorization: `Bearer ${key}`}};
}

/** A heartbeat of one connector, with its own key. */
export const heartbeat = (number: number): Request =>
  request('heartbeat', connectorKey(number), connectorId(number));

/** Heartbeats of up to 2,000 connectors across a fleet, in no particular order. */
export function heartbeats(connectors: number): readonly Request[] {
  const kept = Math.min(connectors, 2000);
  // A step that has no common factor with the size of the fleet, so that each connector occurs once.
  const step = 7919;
  return Array.from({length: kept}, (_, index) =>
    heartbeat((index * Math.floor(connectors / kept) * step) % connectors),
  );
}

/** The activation of a connector with an unused token. */
export function activation(number: number): Request {
  const {method, path} = routes.activate;
  const body = JSON.stringify({token: activationToken(number), name: `new-${number}`});
  return {method, path, headers: {'content-type': 'application/json'}, body};
}

/** The list of all connectors. */
export const listRequest: Request = request('list', organizationKey);
