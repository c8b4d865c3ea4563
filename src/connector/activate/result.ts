import {connectorIn} from '../../client/read/connector.js';
import {isPublic, publicFields, readActivation} from '../../client/read/responses.js';
import type {ActivationReading} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {defaultBaseUrl} from '../../service/settings.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import {blankNotice, shownWord} from '../../terminal/notices.js';
import type {Credentials} from '../credentials/credentials.js';
import type {Activated} from './activate.js';

/** The output of an activation. */
export interface ActivateResult {
  /** The response to show, without the credential if a file has it. */
  readonly reading: ActivationReading;
  /** Lines for the user. */
  readonly notices: readonly string[];
  /** The result as JSON, marked when an earlier run activated the connector. */
  readonly json: Json;
}

/** The result of an activation whose credential is shown on stdout. */
export function shown(
  reading: ActivationReading,
  {name, baseUrl}: {name: string; baseUrl: string},
  io: Io,
): ActivateResult {
  const {credential, connector, raw, blank} = reading;
  if (blank) io.note(`Warning: ${blankNotice(blank)}`);
  if (!isPublic(raw)) {
    io.consequence = `${escapeControl(connector?.id ?? name)} is activated, and its credential is lost with the output. Activate it again with a new token: connectorctl token create`;
  }
  const service = baseUrl === defaultBaseUrl ? '' : ` --base-url ${shownWord(baseUrl)}`;
  const words = `${shownWord(connector?.id ?? '')}${service} --api-key-file FILE`;
  const next = nextNotices(connector?.id, credential?.value, words);
  return {reading, notices: [outcomeNotice(reading, name), ...next], json: raw};
}

/** The result of an activation whose credential is in a file. */
export function saved({credentials, isNew}: Activated, path: string): ActivateResult {
  const {connector_id: id, name, api_key: key, response} = credentials;
  if (isNew) {
    const sent = publicFields(response);
    // The response may contain the id only in its `Location` header.
    const json = id === null || connectorIn(sent) ? sent : {id, ...sent};
    const next = nextNotices(id, key, `--credentials-file ${shownWord(path)}`);
    const reading = Object.assign(readActivation(json, ''), {credential: undefined});
    return {reading, notices: [savedNotice(credentials, path), ...next], json};
  }
  // The other fields of the response may have changed since the activation.
  const lasting = {...(id !== null && {id}), name};
  const what = key === null ? 'response' : 'credential';
  const notice = `Already activated as ${escapeControl(id ?? name)}; the ${what} is in ${path}. Nothing was sent. To replace it with a new token, add --force.`;
  const json = {...lasting, already_activated: true};
  return {reading: readActivation(lasting, ''), notices: [notice], json};
}

/** Warns if the connector in the file does not have the wanted name: only an activation sets a name. */
export function warnOfOtherName(
  {name, requested_name: requested}: Pick<Credentials, 'name' | 'requested_name'>,
  wanted: string | undefined,
  path: string,
  io: Io,
): void {
  if (wanted === undefined || wanted === name || wanted === requested) return;
  io.note(
    `Warning: the connector in ${path} is named ${escapeControl(name)}, and keeps that name; the name ${escapeControl(wanted)} is ignored.`,
  );
}

/** The line that confirms the activation; the response may be empty (interface §4.2). */
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
    ? `The response, which holds no credential, is in ${path}.`
    : `The whole response is in ${path}. None of its fields is known to hold the API key, so heartbeats with this file send no key.`;
}

/** The next command. None when the response lacks the id or the key, which `run` needs. */
function nextNotices(id?: string | null, key?: string | null, words?: string): readonly string[] {
  const hasBoth = typeof id === 'string' && typeof key === 'string';
  return hasBoth ? [`Next: connectorctl connector run ${words}`] : [];
}
