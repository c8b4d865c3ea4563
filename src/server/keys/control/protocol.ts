import * as z from 'zod/mini';
import {apiKey} from '../../../store/json-file/format/records.js';

const ApiKeyInfo = z.omit(z.object(apiKey), {hash: true});

/** The shape of a `NewKey`; the keyring checks the values. */
const Key = z.pick(ApiKeyInfo, {organization: true, description: true, expiresAt: true});

/**
 * A running service holds its file store exclusively, yet its operator must be able to create and
 * revoke keys at once. So it takes these calls on a Unix socket that only the store's owner can reach.
 * One call is one POST of a `ControlCall`; both ends belong to the same release.
 */
export const ControlCall = z.discriminatedUnion('call', [
  z.object({call: z.literal('create'), key: Key}),
  z.object({call: z.literal('list')}),
  z.object({call: z.literal('revoke'), id: z.string(), reason: z.nullable(z.string())}),
]);
export type ControlCall = z.infer<typeof ControlCall>;

/** The response to each call. */
export const responses = {
  create: z.object({record: ApiKeyInfo, secret: z.string()}),
  list: z.array(ApiKeyInfo),
  revoke: ApiKeyInfo,
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
