import type {Client, HeartbeatReading} from '../../client/types.js';
import type {JsonObject} from '../../domain/json.js';
import type {AppError} from '../../errors.js';
import {type ErrorJson, errorJson} from '../../render/error.js';
import {forEachId} from '../connectors/ids.js';

/** The heartbeat of one of several connectors, as JSON. */
export type HeartbeatResult =
  | {readonly id: string; readonly response: JsonObject}
  | ({readonly id: string} & ErrorJson)
  | {readonly id: string; readonly skipped: true};

/** Hears of each heartbeat as it happens. */
interface Reporter {
  accepted(id: string, reading: HeartbeatReading): Promise<void>;
  /** @returns the error with its hint */
  failed(error: AppError): Promise<AppError>;
}

/** Sends one heartbeat for each connector, in turn. @returns the result of each */
export async function sendToEach(
  client: Client,
  ids: readonly string[],
  reporter: Reporter,
): Promise<readonly HeartbeatResult[]> {
  const results: HeartbeatResult[] = [];
  for await (const outcome of forEachId(ids, (id) => client.sendHeartbeat(id))) {
    const {id} = outcome;
    if ('value' in outcome) {
      results.push({id, response: outcome.value.raw});
      await reporter.accepted(id, outcome.value);
    } else if (outcome.error === undefined) {
      results.push({id, skipped: true});
    } else {
      results.push({id, ...errorJson(await reporter.failed(outcome.error))});
    }
  }
  return results;
}
