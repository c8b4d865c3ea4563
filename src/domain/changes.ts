import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from './records.js';

/** What one transaction writes: all of it or nothing. A record replaces the one with its id or hash. */
export interface Changes {
  readonly apiKeys?: readonly ApiKeyRecord[];
  readonly tokens?: readonly TokenRecord[];
  readonly connectors?: readonly ConnectorRecord[];
  /** The ids of connectors. */
  readonly removed?: readonly string[];
}

/** What a rule decides on the records that it is given: the answer of the store, and what the store writes first. */
export interface Decision<Answer> {
  readonly answer: Answer;
  readonly write: Changes;
}

/** A decision that changes nothing. */
export function unchanged<Answer>(answer: Answer): Decision<Answer> {
  return {answer, write: {}};
}
