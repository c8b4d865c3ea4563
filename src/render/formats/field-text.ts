import type {ConnectorReading} from '../../client/types.js';
import {isSecretName} from '../../domain/secret-names.js';
import {type ConnectorField, valueReader} from '../../domain/selection.js';
import {hiddenSecret} from '../details.js';
import {exactTime} from '../time.js';
import {jsonLine} from './json.js';

/** Reads a field of a connector as a text, not yet escaped; undefined without a value. */
type FieldReader = (connector: ConnectorReading) => string | undefined;

/**
 * A time since 1971 in the notation of `exactTime`, on a day that exists: most times are, and reading and
 * writing one takes ten times as long.
 */
const exact =
  /^(?:197[1-9]|19[89]\d|2\d{3})-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** The fields with times. The interface's own names: they come before all others of the same field. */
const times: readonly string[] = ['activated_at', 'last_heartbeat_at'] satisfies ConnectorField[];

/**
 * The reader of a field: times in ISO 8601, objects and arrays as JSON. Fields whose names say that they hold
 * a secret are hidden.
 *
 * @param path as `valueReader` takes it
 */
export function fieldReader(path: string): FieldReader {
  const read = valueReader(path);
  const isSecret = path.split('.').some(isSecretName);
  const isTime = times.includes(path);
  return (connector) => {
    const sent = isTime ? connector.raw[path] : undefined;
    if (typeof sent === 'string' && exact.test(sent)) return sent;
    const value = read(connector);
    if (value === undefined || value === null) return undefined;
    if (isSecret) return hiddenSecret;
    if (value instanceof Date) return exactTime(value);
    return typeof value === 'object' ? jsonLine(value) : String(value);
  };
}
