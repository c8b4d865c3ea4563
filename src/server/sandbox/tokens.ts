import type {SandboxTokens} from '../../contract/sandbox.js';
import {newConnectorDefaults} from '../../domain/records.js';
import {connectorKeyHasher, formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';

type TokenContext = Pick<Context, 'store' | 'now' | 'newId' | 'randomBytes' | 'tokenTtl'>;

/** Creates an activation token of each kind, so that a client can provoke every activation error. */
export async function createTokens(
  context: TokenContext,
  organization: string,
): Promise<SandboxTokens> {
  const {now, tokenTtl} = context;
  const lifetime = tokenTtl * 1000;
  const usable = await storeToken(context, organization, now() + lifetime);
  const used = await storeToken(context, organization, now() + lifetime);
  await redeem(context, used);
  const expired = await storeToken(context, organization, now());
  const unknown = drawToken(context);
  return {usable, used, expired, unknown, malformed: misspell(drawToken(context))};
}

function drawToken({randomBytes}: TokenContext): string {
  return formatSecret('activationToken', randomBytes(secretBytes));
}

async function storeToken(
  context: TokenContext,
  organization: string,
  expiresAt: number,
): Promise<string> {
  const {store, tokenTtl} = context;
  const token = drawToken(context);
  const isStored = await store.createToken({
    hash: hashSecret(token),
    organization,
    description: 'Made by the sandbox',
    createdAt: expiresAt - tokenTtl * 1000,
    expiresAt,
    reissues: null,
    redemption: null,
  });
  if (!isStored) throw new ProblemError('too_many_tokens');
  return token;
}

async function redeem({store, now, newId}: TokenContext, token: string): Promise<void> {
  const at = now();
  const id = newId('con', at);
  const keyHashOf = connectorKeyHasher(store.serverSecret, token);
  const keyHash = keyHashOf(id);
  const {outcome} = await store.redeemToken({
    tokenHash: hashSecret(token),
    idempotencyHash: null,
    at,
    connector: {id, name: 'used-token', keyHash, activatedAt: at, ...newConnectorDefaults},
    keyHashOf,
  });
  if (outcome === 'full') throw new ProblemError('too_many_connectors');
}

/** The token with its last character changed, so that its checksum is wrong. */
function misspell(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}
