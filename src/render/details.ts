import type {
  ActivationReading,
  ConnectorReading,
  HeartbeatReading,
  Json,
  JsonObject,
} from '../client/types.js';
import {isSecretName} from '../domain/secret-names.js';
import {connectorFields, fieldValue} from '../domain/selection.js';
import {escapeControl} from './escape.js';
import {type Palette, paintStatus} from './palette.js';
import {rulerFor} from './ruler.js';
import {exactTime, relativeTime} from './time.js';

/** How the details of one thing are shown. */
export interface DetailsOptions {
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** A label and its value; undefined: not told, and left out. The value is escaped here, then painted. */
interface Detail {
  readonly label: string;
  readonly value: string | undefined;
  readonly paint?: (shown: string) => string;
}

/** Shown in the place of a secret. */
const hidden = '(hidden)';

/**
 * One connector as lines of label and value: what is known of every connector, then the other plain
 * fields of its service under their own names. Secrets are hidden, by the name of their field. Times
 * are given both ways. Values are never cut.
 */
export function renderConnector(
  connector: ConnectorReading,
  options: DetailsOptions,
): Promise<string> {
  return renderDetails([...known(connector, options), ...others(connector.raw, connector)]);
}

/**
 * What an activation answered: the connector, then its own credential under the service's name for
 * it. An answer that told nothing is the empty text.
 *
 * @param options `revealCredential`: the one time that the credential is shown
 */
export function renderActivation(
  {connector, credential, raw}: ActivationReading,
  options: DetailsOptions & {readonly revealCredential: boolean},
): Promise<string> {
  const secret = options.revealCredential ? credential?.value : hidden;
  return renderDetails([
    ...(connector === undefined ? [] : known(connector, options)),
    ...others(connector?.raw ?? raw, connector, credential?.value),
    ...(credential === undefined ? [] : [{label: credential.field, value: secret}]),
  ]);
}

/** What a heartbeat answered, under the id of its connector. */
export function renderHeartbeat(
  id: string,
  {status, lastHeartbeatAt, nextHeartbeatSeconds: seconds}: HeartbeatReading,
  options: DetailsOptions,
): Promise<string> {
  return renderDetails([
    {label: 'ID', value: id},
    statusDetail(status, options.palette),
    lastHeartbeatDetail(lastHeartbeatAt, options.now),
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
    {label: 'Activated', value: activatedAt && bothTimes(activatedAt, now)},
    lastHeartbeatDetail(connector.lastHeartbeatAt, now),
  ];
}

function statusDetail(status: string | undefined, palette: Palette): Detail {
  return {label: 'Status', value: status, paint: (shown) => paintStatus(palette, status, shown)};
}

function lastHeartbeatDetail(at: Date | null | undefined, now: number): Detail {
  return {label: 'Last heartbeat', value: at === null ? 'never' : at && bothTimes(at, now)};
}

function bothTimes(at: Date, now: number): string {
  return `${relativeTime(at, now)} (${exactTime(at)})`;
}

/**
 * The plain fields (no null, array or object) that are not among the known ones, or that could not
 * be read as such.
 *
 * @param credential a value to leave out, which is shown elsewhere
 */
function others(
  raw: JsonObject,
  connector: ConnectorReading | undefined,
  credential?: string,
): readonly Detail[] {
  const shown = connectorFields.filter(
    (field) => connector && fieldValue(connector, field) !== undefined,
  );
  const names = new Set<string>(shown);
  return Object.entries(raw).flatMap(([label, value]) => {
    if (names.has(label) || value === null || typeof value === 'object') return [];
    if (value === credential) return [];
    const isSecret = isSecretName(label) && typeof value !== 'boolean';
    if (isSecret) return {label, value: hidden};
    return {label, value: isZeroTime(label, value) ? '-' : String(value)};
  });
}

/** Services that write a time that is not set as the zero of their language. */
function isZeroTime(label: string, value: Json): boolean {
  if (value === 0) return /(_at|At)$/.test(label);
  return (
    typeof value === 'string' && /^(0001|1970)-01-01[T ]00:00:00(\.0+)?(Z|[+-]00:?00)?$/.test(value)
  );
}

async function renderDetails(details: readonly Detail[]): Promise<string> {
  const told = details.filter(({value}) => value !== undefined && value !== '');
  const labels = told.map(({label}) => `${escapeControl(label)}:`);
  const ruler = await rulerFor(labels);
  const measured = labels.map((label) => ruler.measure(label));
  const widest = Math.max(...measured.map(({width}) => width));
  const lines = told.map(({value = '', paint}, index) => {
    const {text, width} = measured[index] ?? {text: '', width: 0};
    const shown = escapeControl(value);
    return `${text}${' '.repeat(widest - width)}  ${paint ? paint(shown) : shown}\n`;
  });
  return lines.join('');
}
