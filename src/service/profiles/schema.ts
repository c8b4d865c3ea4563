// A separate module, loaded only for a settings file: most scripts have none, and zod costs start-up time.
import * as z from 'zod/mini';

/** A profile: the base URL of a service, and its API key. Unknown members are kept. */
const Profile = z.looseObject({
  base_url: z.string(),
  api_key: z.optional(z.string()),
  auth_header: z.optional(z.string()),
});
export type Profile = z.infer<typeof Profile>;

export const SettingsFile = z.looseObject({
  version: z.literal(1),
  /** The name of the profile in use. */
  current: z.nullable(z.string()),
  profiles: z.record(z.string(), Profile),
});
export type SettingsFile = z.infer<typeof SettingsFile>;
