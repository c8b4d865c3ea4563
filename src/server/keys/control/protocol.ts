import * as z from 'zod/mini';
import {apiKey} from '../../../store/json-file/format/records.js';

const ApiKeyInfo = z.omit(z.object(apiKey), {hash: true});

/** A `NewKey` by its shape alone; the keyring looks at what is in it. */
const Key = z.pick(ApiKeyInfo, {organization: true, description: true, expiresAt: true});

/**
 * A running service holds its file store alone, yet its operator must be able to make and revoke
 * keys beside it at once. So it takes such calls on a Unix socket that the store's owner alone can
 * reach. One call is one POST of a `ControlCall`; both ends are the same release.
 */
export const ControlCall = z.discriminatedUnion('call', [
  z.object({call: z.literal('create'), key: Key}),
  z.object({call: z.literal('list')}),
  z.object({call: z.literal('revoke'), id: z.string(), reason: z.nullable(z.string())}),
]);
export type ControlCall = z.infer<typeof ControlCall>;

/** What each call answers. */
export const responses = {
  create: z.object({record: ApiKeyInfo, secret: z.string()}),
  list: z.array(ApiKeyInfo),
  revoke: ApiKeyInfo,
} as const satisfies Record<ControlCall['call'], z.ZodMiniType>;

/** Why a call failed: the parts of an `AppError` that its reader needs. */
export const ControlError = z.object({
  kind: z.enum(['usage', 'not_found', 'unavailable', 'internal']),
  message: z.string(),
  hint: z.optional(z.string()),
});
export type ControlError = z.infer<typeof ControlError>;

/** Status of a response that is a `Failure`. */
export const failureStatus = 422;
