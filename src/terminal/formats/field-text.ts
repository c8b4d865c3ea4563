import type {ConnectorReading} from '../../client/types.js';
import {isSecretName} from '../../domain/secret-names.js';
import {valueReader} from '../../domain/selection.js';
import {exactTime} from '../time.js';
import {hiddenSecret} from './details.js';
import {jsonLine} from './json.js';

/** Reads a field of a connector as a text, not yet escaped; undefined without a value. */
type FieldReader = (connector: ConnectorReading) => string | undefined;

/**
 * The reader of a field: times in ISO 8601, objects and arrays as JSON. Fields whose names say that they hold
 * a secret are hidden.
 *
 * @param path as `valueReader` takes it
 */
export function fieldReader(path: string): FieldReader {
  const read = valueReader(path);
  const isSecret = path.split('.').some(isSecretName);
  return (connector) => {
    const value = read(connector);
    if (value === undefined || value === null) return undefined;
    if (isSecret) return hiddenSecret;
    if (value instanceof Date) return exactTime(value);
    return typeof value === 'object' ? jsonLine(value) : String(value);
  };
}
