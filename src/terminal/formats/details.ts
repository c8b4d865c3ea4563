import type {ActivationReading, ConnectorReading, HeartbeatReading} from '../../client/types.js';
import type {Json} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {connectorFields, fieldValue} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {type Palette, styleStatus} from '../palette.js';
import {measurerFor} from '../text-width.js';
import {exactTime, relativeTime} from '../time.js';

/** How the details of one thing are shown. */
interface DetailsOptions {
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Includes empty fields, fields inside objects and arrays, and where and when it was read. */
  readonly wide?: boolean;
  /** Base URL of the service. */
  readonly service?: string | undefined;
}

/** A label and its value, escaped here and then styled; undefined leaves the line out. */
interface Detail {
  readonly label: string;
  readonly value: string | undefined;
  readonly style?: (shown: string) => string;
}

/** The text shown in place of a secret. */
export const hiddenSecret = '(hidden)';

/**
 * One connector as lines of label and value: the known fields, then the service's other plain fields
 * under their own names. Fields whose names say that they hold a secret are hidden. Times are both
 * relative and exact. Values are never cut.
 */
export function renderConnector(
  connector: ConnectorReading,
  options: DetailsOptions,
): Promise<string> {
  const {wide = false} = options;
  const rest = [...others(connector, wide), ...(wide ? origin(options) : [])];
  return renderDetails([...known(connector, options), ...rest]);
}

/** Where and when a connector was read: its relative times count from then. */
function origin({service, now}: DetailsOptions): readonly Detail[] {
  if (service === undefined) return [];
  return [
    {label: 'Service', value: service},
    {label: 'Read', value: exactTime(new Date(now()))},
  ];
}

/** The fields that `known` does not show: every field at any depth, or only the plain ones (no null, array or object). */
function others(connector: ConnectorReading, isWide: boolean): readonly Detail[] {
  const shown = shownFields(connector);
  const isPlain = (value: Json) => value !== null && value !== '' && typeof value !== 'object';
  return Object.entries(connector.raw)
    .filter(([name, value]) => !shown.has(name) && (isWide || isPlain(value)))
    .flatMap(([name, value]) => withEmpty(value, name));
}

function withEmpty(value: Json, path: string): readonly Detail[] {
  const name = path.split('.').at(-1) ?? path;
  if (isSecretName(name) && value !== null && typeof value !== 'boolean') {
    return [{label: path, value: hiddenSecret}];
  }
  if (typeof value !== 'object' || value === null) {
    const isEmpty = value === null || value === '' || isZeroTime(name, value);
    return [{label: path, value: isEmpty ? '-' : String(value)}];
  }
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)) {
    return [{label: path, value: value.length === 0 ? '-' : value.map(String).join(', ')}];
  }
  return Object.entries(value).flatMap(([key, inner]) => withEmpty(inner, `${path}.${key}`));
}

/**
 * The whole response to an activation, secrets included: the connector, every other field under its
 * path, and the connector's credential last. An empty response renders as an empty text.
 */
export async function renderActivation(
  {connector, credential, raw}: ActivationReading,
  options: DetailsOptions,
): Promise<string> {
  if (typeof raw !== 'object' || raw === null) return `${escapeLines(String(raw))}\n`;
  const shown = connector === undefined ? [] : known(connector, options);
  const rest = leaves(raw, '', connector).filter(({value}) => value !== credential?.value);
  const secret = credential && {label: credential.field, value: credential.value};
  const details = [...shown, ...rest, ...(secret === undefined ? [] : [secret])];
  const isBlock = ({value}: Detail) => value?.trimEnd().includes('\n') ?? false;
  const blocks = details.filter(isBlock).map(({label, value = ''}) => {
    return `${escapeControl(label)}:\n${escapeLines(value.trimEnd())}\n`;
  });
  return [await renderDetails(details.filter((detail) => !isBlock(detail))), ...blocks].join('');
}

/** Each string, number and boolean in a value with its path, except those of the connector that `known` shows. */
function leaves(value: Json, path: string, connector?: ConnectorReading): readonly Detail[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{label: path, value: String(value)}];
  if (Array.isArray(value)) {
    return value.flatMap((member, index) => leaves(member, `${path}[${index}]`, connector));
  }
  const shown = value === connector?.raw ? shownFields(connector) : undefined;
  return Object.entries(value).flatMap(([name, member]) => {
    if (shown?.has(name) && typeof member !== 'object') return [];
    return leaves(member, path === '' ? name : `${path}.${name}`, connector);
  });
}

/** Keeps the lines of a text, such as a private key in PEM form. */
function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escapeControl).join('\n');
}

/** The response to a heartbeat, under the id of its connector. */
export function renderHeartbeat(
  id: string,
  {status, lastHeartbeatAt, nextHeartbeatSeconds: seconds}: HeartbeatReading,
  options: DetailsOptions,
): Promise<string> {
  return renderDetails([
    {label: 'ID', value: id},
    statusDetail(status, options.palette),
    lastHeartbeatDetail(lastHeartbeatAt, options.now()),
    {label: 'Next heartbeat', value: seconds === undefined ? undefined : `in ${seconds}s`},
  ]);
}

function known(connector: ConnectorReading, {palette, now}: DetailsOptions): readonly Detail[] {
  const {activatedAt} = connector;
  return [
    {label: 'ID', value: connector.id},
    {label: 'Name', value: connector.name},
    {label: 'Organization', value: connector.organization},
    statusDetail(connector.status, palette),
    {label: 'Activated', value: activatedAt && bothTimes(activatedAt, now())},
    lastHeartbeatDetail(connector.lastHeartbeatAt, now()),
  ];
}

function statusDetail(status: string | undefined, palette: Palette): Detail {
  return {label: 'Status', value: status, style: (shown) => styleStatus(palette, status, shown)};
}

function lastHeartbeatDetail(at: Date | null | undefined, now: number): Detail {
  return {label: 'Last heartbeat', value: at === null ? 'never' : at && bothTimes(at, now)};
}

function bothTimes(at: Date, now: number): string {
  return `${relativeTime(at, now)} (${exactTime(at)})`;
}

/** The fields of a connector that `known` shows. */
function shownFields(connector: ConnectorReading): ReadonlySet<string> {
  return new Set<string>(
    connectorFields.filter((field) => fieldValue(connector, field) !== undefined),
  );
}

/** Some services write an unset time as the zero value of their language. */
function isZeroTime(label: string, value: Json): boolean {
  if (value === 0) return /(_at|At)$/.test(label);
  return (
    typeof value === 'string' && /^(0001|1970)-01-01[T ]00:00:00(\.0+)?(Z|[+-]00:?00)?$/.test(value)
  );
}

async function renderDetails(details: readonly Detail[]): Promise<string> {
  const given = details.filter(({value}) => value !== undefined && value !== '');
  const escaped = given.map(({label}) => `${escapeControl(label)}:`);
  const {standalone, width} = await measurerFor(escaped);
  const labels = escaped.map(standalone);
  const widest = Math.max(...labels.map(width));
  const lines = given.map(({value = '', style}, index) => {
    const label = labels[index] ?? '';
    const shown = escapeControl(value);
    return `${label}${' '.repeat(widest - width(label))}  ${style ? style(shown) : shown}\n`;
  });
  return lines.join('');
}
