import {connectorField, connectorFields} from '../../client/read/connector.js';
import type {ActivationReading} from '../../client/types.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {escapeControl, type Palette, styleStatus} from '../../terminal/escape.js';
import {exactTime, relativePast} from '../../terminal/time.js';
import {fieldLayouts, hiddenSecret, type TableOptions, titleOf} from './table.js';

/** A label and its value, not yet escaped; undefined leaves the line out. */
type Detail = readonly [label: string, value: string | undefined];

/**
 * One connector as lines of label and value: the known fields, then the service's other fields under their paths, without
 * empty ones. Fields whose names say that they hold a secret are hidden. Known times are both relative and exact.
 * Values are never cut.
 */
export function renderConnector(
  connector: JsonObject,
  {now, palette}: Pick<TableOptions, 'now' | 'palette'>,
): string {
  const rest = otherFields(connector).flatMap(([name, value]) => leaves(value, name));
  return renderDetails([...known(connector, now()), ...rest], palette);
}

/**
 * The whole response to an activation, secrets included: the connector, every other field under its
 * path, and the connector's credential last. An empty response renders as an empty text.
 */
export function renderActivation(
  {connector, credential, raw}: ActivationReading,
  {now, palette}: Pick<TableOptions, 'now' | 'palette'>,
): string {
  const own = connector === undefined ? [] : known(connector.raw, now());
  if (typeof raw !== 'object' || raw === null)
    return `${renderDetails(own, palette, true)}${escapeLines(String(raw))}\n`;
  const others = leaves(raw, '', {showsSecrets: true, shown: connector?.raw});
  const details = [
    ...own,
    ...others.filter(([, value]) => value !== credential?.value),
    [credential?.field ?? '', credential?.value] as const,
  ];
  return renderDetails(details, palette, true);
}

/** The fields in `connectorFields`. */
function known(connector: JsonObject, now: number): readonly Detail[] {
  return connectorFields.map((field) => {
    const title = titleOf(field);
    const label = field === 'id' ? title : title.slice(0, 1) + title.slice(1).toLowerCase();
    const value = connectorField[field](connector);
    const text =
      value instanceof Date ? `${relativePast(value, now)} (${exactTime(value)})` : value;
    const absent = text === null ? fieldLayouts[field].absent : undefined;
    // A count of zero is left out.
    return [label, text ? String(text) : absent];
  });
}

/** The fields of a connector that `known` does not show. */
function otherFields(connector: JsonObject): readonly (readonly [string, Json])[] {
  const shown = connectorFields.filter((field) => connectorField[field](connector) !== undefined);
  const isShown = (name: string, value: Json) =>
    shown.some((field) => field === name) && (typeof value !== 'object' || value === null);
  return Object.entries(connector).filter(([name, value]) => !isShown(name, value));
}

/**
 * The scalars inside a value, each with its path; an array of scalars counts as one.
 *
 * @param shown a connector whose known fields are left out
 */
function leaves(
  value: Json,
  path: string,
  options: {readonly showsSecrets?: boolean; readonly shown?: JsonObject | undefined} = {},
): readonly Detail[] {
  const {showsSecrets, shown} = options;
  const name = path.split('.').at(-1) ?? path;
  if (!showsSecrets && isSecretName(name) && value !== null && typeof value !== 'boolean') {
    return [[path, hiddenSecret]];
  }
  if (typeof value !== 'object' || value === null) {
    return [[path, value === null ? undefined : String(value)]];
  }
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)) {
    return [[path, value.map(String).join(', ')]];
  }
  const members = value === shown ? otherFields(shown) : Object.entries(value);
  return members.flatMap(([key, inner]) =>
    leaves(inner, path === '' ? key : `${path}.${key}`, options),
  );
}

function renderDetails(details: readonly Detail[], palette: Palette, keepsLines = false): string {
  const given = details.flatMap(([label, value = '']) =>
    value === ''
      ? []
      : [[`${escapeControl(label)}:`, keepsLines ? value.trimEnd() : value] as const],
  );
  const widest = Math.max(...given.map(([label]) => label.length));
  const lines = given.map(([label, value]) => {
    // A value such as a private key in PEM form keeps its line breaks, so that it can be copied.
    if (keepsLines && value.includes('\n')) return `${label}\n${escapeLines(value)}\n`;
    const shown = escapeControl(value);
    const styled = label === 'Status:' ? styleStatus(palette, value, shown) : shown;
    return `${label.padEnd(widest)}  ${styled}\n`;
  });
  return lines.join('');
}

function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escapeControl).join('\n');
}
