import {isObject, names} from '../../client/fields.js';
import {isPublic, publicFields} from '../../client/read/public-fields.js';
import {readActivation} from '../../client/read/reader.js';
import type {ActivationReading} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {defaultBaseUrl} from '../../service/settings.js';
import {escapeControl} from '../../terminal/escape.js';
import {shellWord} from '../../terminal/notices.js';
import {protectOutput, writeMessage} from '../../terminal/streams.js';
import type {Credentials} from '../credentials/credentials.js';
import type {Activated} from './activate.js';

/** The result of an activation. */
export interface ActivateResult {
  /** What to show: without the credential when that is in a file. */
  readonly reading: ActivationReading;
  /** Lines for the user. */
  readonly notices: readonly string[];
  /** The result as JSON, marked when an earlier run activated the connector. */
  readonly json: Json;
}

/** A result whose credential is shown, and would be lost with stdout. */
export function shown(
  reading: ActivationReading,
  {name, baseUrl}: {name: string; baseUrl: string},
): ActivateResult {
  if (!isPublic(reading.raw)) {
    protectOutput(
      `${escapeControl(reading.connector?.id ?? name)} is activated, and its credential is lost with the output. Activate it again with a new token: connectorctl token create`,
    );
  }
  const {credential, connector, raw} = reading;
  const service = baseUrl === defaultBaseUrl ? '' : ` --base-url ${shellWord(baseUrl)}`;
  const words = `${shellWord(connector?.id ?? '')}${service} --api-key-file FILE`;
  const next = nextNotices({id: connector?.id, hasKey: credential !== undefined}, words);
  return {reading, notices: [outcomeNotice(reading, name), ...next], json: raw};
}

/** A result that is in a file. */
export function saved({credentials, isNew}: Activated, path: string): ActivateResult {
  const {connector_id: id, name, api_key: key, response} = credentials;
  const raw = isNew ? response : lasting(response);
  const reading = {...readActivation(publicFields(raw), ''), credential: undefined};
  const json = publicFields(raw);
  if (isNew) {
    const next = nextNotices(
      {id: id ?? undefined, hasKey: key !== null},
      `--credentials-file ${shellWord(path)}`,
    );
    return {reading, notices: [savedNotice(credentials, path), ...next], json};
  }
  const what = key === null ? 'response' : 'credential';
  const notice = `Already activated as ${escapeControl(id ?? name)}; the ${what} is in ${path}. Nothing was sent. To replace it with a new token, add --force.`;
  return {reading, notices: [notice], json: {...json, already_activated: true}};
}

/** What a response still says later: not how the connector was when it was activated. */
function lasting(value: Json): Json {
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => !momentary.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, lasting(field)]));
}

const momentary: ReadonlySet<string> = new Set([
  ...names.status,
  ...names.lastHeartbeat,
  ...names.heartbeat,
]);

/** Warns when a name is given that the connector of a file does not have: it gets its name only once. */
export function warnOfOtherName(
  {name, requested_name: requested}: Pick<Credentials, 'name' | 'requested_name'>,
  wanted: string | undefined,
  path: string,
): void {
  if (wanted === undefined || wanted === name || wanted === requested) return;
  writeMessage(
    `Warning: the connector in ${path} is named ${escapeControl(name)}, and stays so; the name ${escapeControl(wanted)} is ignored.`,
  );
}

/** Confirms the activation in any case: the response may be empty (interface §4.2). */
function outcomeNotice({credential, raw}: ActivationReading, name: string): string {
  if (credential !== undefined)
    return `Save the ${credential.field} in a file that only you can read: it is not shown again.`;
  if (!isPublic(raw)) {
    return 'Activated. Save this response: if it holds a credential, that is not shown again.';
  }
  return Object.keys(publicFields(raw)).length === 0
    ? `Activated ${escapeControl(name)}. The service returned no details.`
    : 'Activated. The response holds no credential.';
}

function savedNotice({api_key: key, response}: Credentials, path: string): string {
  if (key !== null) return `The credential is in ${path}.`;
  return isPublic(response)
    ? `The response holds no credential; the rest is in ${path}.`
    : `The whole response is in ${path}. None of its fields is known to hold the API key, so heartbeats with this file send no key.`;
}

/** The next command. None when the response lacks the id or the key, which `run` needs. */
function nextNotices(
  {id, hasKey}: {readonly id: string | undefined; readonly hasKey: boolean},
  words: string,
): readonly string[] {
  return id === undefined || !hasKey ? [] : [`Next: connectorctl connector run ${words}`];
}
