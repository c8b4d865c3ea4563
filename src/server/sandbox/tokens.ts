import type {SandboxTokens} from '../../contract/sandbox.js';
import {type NewConnector, newConnectorDefaults} from '../../domain/records.js';
import {
  connectorKeyHasher,
  deriveConnectorKey,
  formatSecret,
  hashSecret,
  secretBytes,
} from '../../domain/secret.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';

/** What creates records in the store of a sandbox. */
export type RecordContext = Pick<
  Context,
  'store' | 'now' | 'newId' | 'randomBytes' | 'tokenTtl' | 'heartbeatInterval'
>;

/** Creates an activation token of each kind, so that a client can provoke every activation error. */
export async function createTokens(
  context: RecordContext,
  organization: string,
): Promise<SandboxTokens> {
  const {now, tokenTtl} = context;
  const expiresAt = now() + tokenTtl * 1000;
  const usable = await storeToken(context, organization, expiresAt);
  const used = await storeToken(context, organization, expiresAt);
  await redeem(context, used, {name: 'used-token', activatedAt: now()});
  const expired = await storeToken(context, organization, now());
  const unknown = drawToken(context);
  return {usable, used, expired, unknown, malformed: misspell(drawToken(context))};
}

/** Creates a token. @param detail what to say when the organization has too many */
export async function storeToken(
  context: RecordContext,
  organization: string,
  expiresAt: number,
  detail?: string,
): Promise<string> {
  const token = drawToken(context);
  const isStored = await context.store.createToken({
    hash: hashSecret(token),
    organization,
    description: 'Made by the sandbox',
    createdAt: expiresAt - context.tokenTtl * 1000,
    expiresAt,
    reissues: null,
    redemption: null,
  });
  if (!isStored) throw new ProblemError('too_many_tokens', {detail});
  return token;
}

/** Activates a connector with a token. @returns its id and its key */
export async function redeem(
  {store, now, newId}: RecordContext,
  token: string,
  fields: Pick<NewConnector, 'name' | 'activatedAt'> & Partial<NewConnector>,
  detail?: string,
): Promise<{readonly id: string; readonly key: string}> {
  const at = now();
  const id = newId('con', at);
  const keyHashOf = connectorKeyHasher(store.serverSecret, token);
  const {outcome} = await store.redeemToken({
    tokenHash: hashSecret(token),
    idempotencyHash: null,
    at,
    connector: {id, keyHash: keyHashOf(id), ...newConnectorDefaults, ...fields},
    keyHashOf,
  });
  if (outcome === 'full') throw new ProblemError('too_many_connectors', {detail});
  return {id, key: deriveConnectorKey(store.serverSecret, token, id)};
}

function drawToken({randomBytes}: RecordContext): string {
  return formatSecret('activationToken', randomBytes(secretBytes));
}

/** The token with its last character changed, so that its checksum is wrong. */
function misspell(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}
