import type {HeartbeatReading} from '../../client/types.js';
import type {JsonObject} from '../../domain/json.js';
import {type ErrorJson, errorJson} from '../../render/error.js';
import type {Outcome} from '../connectors/ids.js';

/** The heartbeat of one of several connectors, as JSON. */
export type HeartbeatResult =
  | {readonly id: string; readonly response: JsonObject}
  | ({readonly id: string} & ErrorJson)
  | {readonly id: string; readonly skipped: true};

export function heartbeatResult(outcome: Outcome<HeartbeatReading>): HeartbeatResult {
  const {id} = outcome;
  if ('value' in outcome) return {id, response: outcome.value.raw};
  return outcome.error === undefined ? {id, skipped: true} : {id, ...errorJson(outcome.error)};
}
