import {isObject, names} from '../../client/fields.js';
import {isPublic, publicFields} from '../../client/read/public-fields.js';
import {readActivation} from '../../client/read/reader.js';
import type {ActivationReading} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {escapeControl} from '../../render/escape.js';
import {shellWord} from '../../render/notices.js';
import {defaultBaseUrl} from '../service/settings.js';
import {protectOutput, writeMessage} from '../terminal/streams.js';
import type {Credentials} from './credentials.js';

/** The result of an activation. */
export interface ActivateResult {
  /** Whether this run has activated the connector. */
  readonly isNew: boolean;
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
  {name, baseUrl, canRepeat}: {name: string; baseUrl: string; canRepeat: boolean},
): ActivateResult {
  if (!isPublic(reading.raw)) {
    const finish = canRepeat
      ? 'To get it, run the same command again.'
      : 'Activate it again with a new token: connectorctl token create';
    protectOutput(
      `${escapeControl(reading.connector?.id ?? name)} is activated, and its credential is lost with the output. ${finish}`,
    );
  }
  const service = baseUrl === defaultBaseUrl ? '' : ` --base-url ${shellWord(baseUrl)}`;
  const words = `${shellWord(reading.connector?.id ?? '')}${service} --api-key-file FILE`;
  const notices = [outcomeNotice(reading, name), ...nextNotices(reading, words)];
  return {isNew: true, reading, notices, json: reading.raw};
}

/** A result that this run saved in a file. */
export function justSaved(reading: ActivationReading, path: string): ActivateResult {
  return {
    isNew: true,
    reading: withoutCredential(reading.raw),
    notices: [
      savedNotice(reading, path),
      ...nextNotices(reading, `--credentials-file ${shellWord(path)}`),
    ],
    json: publicFields(reading.raw),
  };
}

/** A result that an earlier run saved in a file. */
export function alreadySaved(
  {connector_id: id, name, api_key: apiKey, response}: Credentials,
  path: string,
): ActivateResult {
  const reading = withoutCredential(lasting(response ?? {...(id !== null && {id}), name}));
  const what = apiKey === null ? 'response' : 'credential';
  return {
    isNew: false,
    reading,
    notices: [
      `Already activated as ${escapeControl(id ?? name)}; the ${what} is in ${path}. Nothing was sent.`,
    ],
    json: {...publicFields(reading.raw), already_activated: true},
  };
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

function savedNotice({credential, raw}: ActivationReading, path: string): string {
  if (credential !== undefined) return `The credential is in ${path}.`;
  return isPublic(raw)
    ? `The response holds no credential; the rest is in ${path}.`
    : `The whole response is in ${path}. None of its fields is known to hold the API key, so heartbeats with this file send no key.`;
}

/** The next command. None when the response lacks the id or the key, which `run` needs. */
function nextNotices({connector, credential}: ActivationReading, words: string): readonly string[] {
  if (connector?.id === undefined || credential === undefined) return [];
  return [`Next: connectorctl connector run ${words}`];
}

/** The public part of a response that is saved in a file. */
function withoutCredential(response: Json): ActivationReading {
  return {...readActivation(publicFields(response), ''), credential: undefined};
}
