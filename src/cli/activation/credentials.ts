import * as z from 'zod/mini';
import {parseJsonOrUndefined} from '../../client/read/json.js';
import type {ActivationReading} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {jsonText} from '../../render/formats/json.js';

/** What an activation saves for the activated machine, readable only by its owner. */
export const Credentials = z.object({
  base_url: z.string(),
  connector_id: z.nullable(z.string()),
  name: z.string(),
  /** The name that was sent, where the service calls the connector something else. */
  requested_name: z.optional(z.string()),
  /** The connector's own credential; null when no field of the response is known to hold one. */
  api_key: z.nullable(z.string()),
  /** The whole response to the activation. Files of earlier versions have none. */
  response: z.optional(z.custom<Json>()),
  /** Distinguishes a repeated activation from another one. */
  token_hash: z.string(),
  activated_at: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

/** What another run needs to finish an activation, whose token may have been used. */
export const Reservation = z.object({
  base_url: z.string(),
  name: z.string(),
  token_hash: z.string(),
  idempotency_key: z.string(),
  /** Files of earlier versions have none for a single machine. */
  token: z.optional(z.string()),
  /** The token was used, and the response is lost for good. */
  lost: z.optional(z.literal(true)),
  /** The response to an earlier request was lost: whatever the service says now, it may have used the token. */
  response_lost: z.optional(z.literal(true)),
  /** What arrived of a response that cannot be read: it may hold the credential. */
  unreadable_response: z.optional(z.string()),
});
export type Reservation = z.infer<typeof Reservation>;

/** A reservation whose token can still be used. */
export type UsableReservation = Reservation & {readonly token: string};

/** The credentials of an activation that has just succeeded. */
export function credentialsOf(
  {connector, credential, raw}: ActivationReading,
  {base_url, name, token_hash}: Reservation,
  now: Date,
): Credentials {
  const given = connector?.name ?? name;
  return {
    base_url,
    connector_id: connector?.id ?? null,
    name: given,
    ...(given !== name && {requested_name: name}),
    api_key: credential?.value ?? null,
    response: raw,
    token_hash,
    activated_at: now.toISOString(),
  };
}

/** The text of a file that holds credentials or a reservation. */
export const textOf = (content: Credentials | Reservation) => `${jsonText(content)}\n`;

/** What a file holds. */
export type Content =
  | {readonly kind: 'absent'}
  | {readonly kind: 'reservation'; readonly reservation: Reservation}
  | {readonly kind: 'credentials'; readonly credentials: Credentials}
  /** Room that is reserved, or a reservation that was cut off: nothing was sent. */
  | {readonly kind: 'partial'}
  /** No content of this command. */
  | {readonly kind: 'other'}
  /** No file, or one that this user may not read or use. */
  | {readonly kind: 'unusable'; readonly reason: string};

export function contentIn(bytes: Buffer): Content {
  const text = bytes.toString('utf8');
  const json = parseJsonOrUndefined(text);
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return {kind: 'credentials', credentials: credentials.data};
  const reservation = Reservation.safeParse(json);
  if (reservation.success) return {kind: 'reservation', reservation: reservation.data};
  return {kind: json === undefined && isCutOff(text) ? 'partial' : 'other'};
}

/** The first characters of every reservation, without white space. */
const opening = '{"base_url":"';

/** Whether a text is empty, or the beginning of a reservation. A power failure leaves NULs for what it lost. */
function isCutOff(text: string): boolean {
  const found = text.replace(/[\s\0]/g, '');
  return opening.startsWith(found) || found.startsWith(opening);
}

/** Whether two files belong to the same activation. */
export function isSameActivation(one: Content, other: Content): boolean {
  const hash = tokenHashOf(one);
  return hash !== undefined && hash === tokenHashOf(other);
}

function tokenHashOf(content: Content): string | undefined {
  if (content.kind === 'credentials') return content.credentials.token_hash;
  return content.kind === 'reservation' ? content.reservation.token_hash : undefined;
}
