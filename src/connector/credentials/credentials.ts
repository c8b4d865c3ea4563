import * as z from 'zod/mini';
import {parseJsonOrUndefined} from '../../client/read/json.js';
import type {ActivationReading} from '../../client/types.js';
import {type Json, otherVersion} from '../../domain/json.js';
import {hashSecret} from '../../domain/secret.js';
import {jsonText} from '../../terminal/formats/json.js';

/** The format version of both files. They do not contain it; files of a later version will. */
const formatVersion = 1;

/** The contents of a credentials file. Only its owner can read a new one. */
export const Credentials = z.object({
  base_url: z.string(),
  connector_id: z.nullable(z.string()),
  name: z.string(),
  /** The name that was sent, if the service gave the connector another one. */
  requested_name: z.optional(z.string()),
  /** The connector's own credential; null when no field of the response is known to hold one. */
  api_key: z.nullable(z.string()),
  /** The whole response to the activation. */
  response: z.custom<Json>((value) => value !== undefined),
  /** Identifies the token, and so a repetition of the same activation. */
  token_hash: z.string(),
  activated_at: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

/** An activation whose request may have been sent, with everything that a later run needs to repeat it. */
export const Unfinished = z.object({
  base_url: z.string(),
  name: z.string(),
  token: z.string(),
  idempotency_key: z.string(),
});
export type Unfinished = z.infer<typeof Unfinished>;

/** The credentials of an activation that has just succeeded. */
export function credentialsOf(
  {connector, credential, raw}: ActivationReading,
  {base_url, name, token}: Unfinished,
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
    token_hash: hashSecret(token),
    activated_at: now.toISOString(),
  };
}

/** The text of a file that holds credentials or an unfinished activation. */
export const textOf = (content: Credentials | Unfinished) => `${jsonText(content)}\n`;

/** The state of the path of a credentials file, or of its pending file. */
export type Content =
  | {readonly kind: 'absent'}
  | {readonly kind: 'credentials'; readonly credentials: Credentials}
  | {readonly kind: 'unfinished'; readonly unfinished: Unfinished}
  /** Any other content; `what` is a phrase such as `is empty`. */
  | {readonly kind: 'other'; readonly what: string}
  /** Not a regular file, or one that this user cannot read or must not trust. */
  | {readonly kind: 'unusable'; readonly reason: string};

/** The content of a file with this text. */
export function contentIn(text: string): Content {
  if (text === '') return {kind: 'other', what: 'is empty'};
  const json = parseJsonOrUndefined(text);
  const other = otherVersion(json, formatVersion);
  if (other !== undefined) return {kind: 'other', what: other};
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return {kind: 'credentials', credentials: credentials.data};
  const unfinished = Unfinished.safeParse(json);
  if (unfinished.success) return {kind: 'unfinished', unfinished: unfinished.data};
  return {kind: 'other', what: 'is not a credentials file'};
}

/** The hash of the token that a file belongs to; undefined for other content. */
export function tokenHashOf(content: Content): string | undefined {
  if (content.kind === 'credentials') return content.credentials.token_hash;
  return content.kind === 'unfinished' ? hashSecret(content.unfinished.token) : undefined;
}
