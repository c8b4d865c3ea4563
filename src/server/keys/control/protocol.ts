import * as z from 'zod/mini';
import {apiKey, connector} from '../../../store/json-file/format/records.js';

const ApiKeyInfo = z.omit(z.object(apiKey), {hash: true});

/** The shape of a `NewKey`; the keyring checks the values. */
const Key = z.pick(ApiKeyInfo, {organization: true, description: true, expiresAt: true});

const ConnectorInfo = z.extend(z.omit(z.object(connector), {keyHash: true}), {
  revokedAt: z.nullable(z.number()),
});

const Query = z.object({
  organization: z.optional(z.string()),
  names: z.optional(z.readonly(z.array(z.string()))),
  silentFor: z.optional(z.number()),
});

const Place = z.object({organization: z.string(), after: z.string()});

/**
 * A running service holds its file store exclusively, yet its operator must be able to change keys
 * and connectors at once. So it takes these calls on a Unix socket that only the store's owner can reach.
 * One call is one POST of a `ControlCall`; both ends belong to the same release.
 */
export const ControlCall = z.discriminatedUnion('call', [
  z.object({call: z.literal('create'), key: Key}),
  z.object({call: z.literal('list')}),
  z.object({call: z.literal('revoke'), id: z.string(), reason: z.nullable(z.string())}),
  z.object({call: z.literal('select'), query: Query, place: z.nullable(Place)}),
  z.object({call: z.literal('find'), ids: z.array(z.string())}),
  z.object({
    call: z.literal('remove'),
    ids: z.array(z.string()),
    silentFor: z.optional(z.number()),
  }),
  z.object({call: z.literal('reissue'), id: z.string(), revokesNow: z.boolean()}),
]);
export type ControlCall = z.infer<typeof ControlCall>;

/** The response to each call. */
export const responses = {
  create: z.object({record: ApiKeyInfo, secret: z.string()}),
  list: z.array(ApiKeyInfo),
  revoke: ApiKeyInfo,
  select: z.object({connectors: z.array(ConnectorInfo), next: z.nullable(Place)}),
  find: z.array(ConnectorInfo),
  remove: z.array(ConnectorInfo),
  reissue: z.object({token: z.string(), expiresAt: z.number(), connector: ConnectorInfo}),
} as const satisfies Record<ControlCall['call'], z.ZodMiniType>;

/** The parts of an `AppError` that the caller needs. */
export const ControlError = z.object({
  kind: z.enum(['usage', 'not_found', 'unavailable', 'internal']),
  message: z.string(),
  reason: z.optional(z.string()),
  details: z.record(z.string(), z.string()),
});
export type ControlError = z.infer<typeof ControlError>;

/** Status of a response that is a `ControlError`. */
export const errorStatus = 422;
