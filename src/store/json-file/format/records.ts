import * as z from 'zod/mini';

/**
 * The content of the lines of a store's files. Records are idempotent: they state values, not
 * increments, so that a journal can be replayed over a snapshot that was written while the journal
 * grew. Times are milliseconds since the Unix epoch.
 */

/** The fields of a connector that was neither revoked nor reissued. */
export const connector = {
  id: z.string(),
  organization: z.string(),
  name: z.string(),
  keyHash: z.string(),
  activatedAt: z.number(),
  lastHeartbeatAt: z.nullable(z.number()),
};

const redemption = {
  at: z.number(),
  attemptId: z.string(),
  idempotencyHash: z.nullable(z.string()),
};

/** The fields of an API key. */
export const apiKey = {
  id: z.string(),
  organization: z.string(),
  hash: z.string(),
  description: z.nullable(z.string()),
  createdAt: z.number(),
  expiresAt: z.nullable(z.number()),
  revokedAt: z.nullable(z.number()),
  revocationReason: z.nullable(z.string()),
  lastUsedAt: z.nullable(z.number()),
};

const revocation = {id: z.string(), at: z.number(), reason: z.nullable(z.string())};

const token = {
  hash: z.string(),
  organization: z.string(),
  description: z.nullable(z.string()),
  createdAt: z.number(),
  expiresAt: z.number(),
  reissues: z.nullable(z.string()),
  redemption: z.nullable(z.object(redemption)),
};

/** What a connector has that had more than one key, or may get one. */
const connectorKeys = {
  keyHash: z.string(),
  endedKeyHash: z.nullable(z.string()),
  reissueHash: z.nullable(z.string()),
};

const StoreRecord = z.discriminatedUnion('type', [
  // Connectors that were alive at one millisecond. Short, because most records are heartbeats.
  z.object({type: z.literal('heartbeats'), at: z.number(), ids: z.array(z.string())}),
  z.object({type: z.literal('connector'), ...connector}),
  z.object({type: z.literal('token'), ...token}),
  // One record, so that no crash can leave a used token without its connector.
  z.object({
    type: z.literal('redemption'),
    tokenHash: z.string(),
    idempotencyHash: z.nullable(z.string()),
    at: z.number(),
    connector: z.object(connector),
  }),
  z.object({
    type: z.literal('closedToken'),
    hash: z.string(),
    outcome: z.enum(['used', 'expired']),
    expiresAt: z.number(),
  }),
  z.object({type: z.literal('apiKey'), ...apiKey}),
  z.object({type: z.literal('revocation'), ...revocation}),
  z.object({type: z.literal('connectorRevocation'), ...revocation}),
  // Without effect when there is a later key.
  z.object({type: z.literal('connectorKeys'), id: z.string(), ...connectorKeys}),
  // One record, so that no crash can leave a used token without its key.
  z.object({
    type: z.literal('reissue'),
    tokenHash: z.string(),
    idempotencyHash: z.nullable(z.string()),
    at: z.number(),
    attemptId: z.string(),
    id: z.string(),
    name: z.string(),
    ...connectorKeys,
  }),
  z.object({type: z.literal('removal'), ids: z.array(z.string())}),
  z.object({type: z.literal('keyUse'), id: z.string(), at: z.number()}),
]);

/** One record of a journal or of a snapshot. */
export type StoreRecord = z.infer<typeof StoreRecord>;

/** A record of one kind. */
export type RecordOf<Type extends StoreRecord['type']> = Extract<StoreRecord, {type: Type}>;

/** A line of records; in a journal those of one batch, which is written atomically. */
export const RecordsLine = z.object({records: z.array(StoreRecord)});
export type RecordsLine = z.infer<typeof RecordsLine>;

const types: ReadonlySet<string> = new Set(
  StoreRecord.def.options.flatMap(({shape}) => shape.type.def.values),
);

/**
 * Whether a line of this version holds records. Its checksum has been verified, so this does not check
 * the fields: with a million records that would take a fifth of the time of a start.
 */
export function isRecordsLine(value: object): value is RecordsLine {
  return 'records' in value && Array.isArray(value.records) && value.records.every(isRecord);
}

function isRecord(value: unknown): value is StoreRecord {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return typeof value.type === 'string' && types.has(value.type);
}

/** The first line of a journal segment. */
export const JournalHeader = z.object({
  type: z.literal('journal'),
  version: z.number(),
  segment: z.number(),
});

/**
 * The first line of a snapshot. The snapshot replaces everything before the journal segment of this
 * number; `chain` is the checksum that seeds the segment's first line.
 */
export const SnapshotHeader = z.object({
  type: z.literal('snapshot'),
  version: z.number(),
  segment: z.number(),
  chain: z.number(),
});

/** The last line of a snapshot, with the number of its records. */
export const SnapshotEnd = z.object({type: z.literal('end'), count: z.number()});
