import {expect} from 'chai';
import {firstKey, type RedemptionAttempt, type Reissue} from '../../../src/domain/activation.js';
import {
  type ApiKeyRecord,
  type ConnectorRecord,
  type NewConnector,
  notRevoked,
  type TokenRecord,
} from '../../../src/domain/records.js';
import {hashSecret} from '../../../src/domain/secret.js';
import {
  type ListRange,
  type Store,
  StoreError,
  type StoreErrorKind,
} from '../../../src/store/store.js';

/** The time of the store tests, later than the clock of any machine. */
export const start = Date.UTC(2040, 0, 1);

export const minute = 60 * 1000;
export const day = 24 * 60 * minute;

let made = 0;

/** A number that no other record of the test run has. */
function unique(): number {
  made += 1;
  return made;
}

/** An id that sorts after all earlier ones. */
export function connectorId(): string {
  return `con_${String(unique()).padStart(26, '0')}`;
}

export function sampleApiKey(fields: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const number = unique();
  return {
    id: `key_${String(number).padStart(26, '0')}`,
    organization: 'acme',
    access: 'full',
    hash: hashSecret(`key ${number}`),
    description: null,
    createdAt: start,
    expiresAt: null,
    ...notRevoked,
    lastUsedAt: null,
    ...fields,
  };
}

export function sampleToken(fields: Partial<TokenRecord> = {}): TokenRecord {
  return {
    hash: hashSecret(`token ${unique()}`),
    organization: 'acme',
    description: null,
    createdAt: start,
    expiresAt: start + 15 * minute,
    reissues: null,
    redemption: null,
    ...fields,
  };
}

/** A token for a new key of a connector. */
export function sampleReissue(
  connectorId: string,
  fields: Partial<Reissue> = {},
): Reissue & {readonly hash: string} {
  const hash = hashSecret(`token ${unique()}`);
  const times = {createdAt: start, expiresAt: start + 15 * minute};
  return {connectorId, tokenHash: hash, hash, ...times, revocation: null, ...fields};
}

/** An attempt to redeem a token for a connector, a minute after the start. */
export function sampleAttempt(
  token: {readonly hash: string},
  fields: Partial<Omit<RedemptionAttempt, 'connector'>> & {
    readonly connector?: Partial<NewConnector>;
  } = {},
): RedemptionAttempt {
  const at = fields.at ?? start + minute;
  const id = fields.connector?.id ?? connectorId();
  const keyHashOf = (connector: string) => hashSecret(`key of ${connector} by ${token.hash}`);
  return {
    tokenHash: token.hash,
    idempotencyHash: null,
    keyHashOf,
    ...fields,
    at,
    connector: {
      id,
      name: 'build-01',
      keyHash: keyHashOf(id),
      activatedAt: at,
      lastHeartbeatAt: null,
      ...fields.connector,
    },
  };
}

/** The connector that an attempt creates. */
export function activated(attempt: RedemptionAttempt, organization = 'acme'): ConnectorRecord {
  return {...attempt.connector, organization, ...firstKey};
}

/** Creates a token and redeems it. */
export async function activate(
  store: Store,
  {organization = 'acme', ...fields}: Partial<NewConnector> = {},
): Promise<ConnectorRecord> {
  const token = sampleToken({organization});
  await store.createToken(token);
  const result = await store.redeemToken(sampleAttempt(token, {connector: fields}));
  if (result.outcome !== 'redeemed') throw new Error(`the token is ${result.outcome}`);
  return result.connector;
}

/** All connectors of a list. */
export async function listAll(
  store: Store,
  organization: string,
  range?: ListRange,
): Promise<ConnectorRecord[]> {
  const all: ConnectorRecord[] = [];
  for await (const batch of store.listConnectors(organization, range)) all.push(...batch);
  return all;
}

/** The reason of a rejected promise. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was not rejected');
}

/** Asserts that an error is a StoreError of this kind. */
export function expectKind(error: unknown, kind: StoreErrorKind): StoreError {
  expect(error).to.be.instanceOf(StoreError);
  expect((error as StoreError).kind, (error as StoreError).message).to.equal(kind);
  return error as StoreError;
}
