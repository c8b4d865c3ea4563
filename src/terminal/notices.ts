import type {ActivationTokenReading, BlankResponse} from '../client/types.js';
import {ignoresLifetime} from '../domain/activation.js';
import {predicateOf, ruleTable} from '../domain/check/sentence.js';
import {shellWord} from '../domain/shell-word.js';
import {clockTolerance} from '../domain/time.js';
import {firstOf} from '../domain/words.js';
import {escapeControl} from './escape.js';
import {exactTime, relativeTime} from './time.js';

/**
 * The expiry of a new activation token and the command that uses it, without the token itself. No line feed at the
 * end.
 *
 * @param now milliseconds since the Unix epoch
 * @param baseUrl the base URL to name in the command; undefined for the default one
 */
export function renderToken(
  {expiresAt}: ActivationTokenReading,
  now: number,
  baseUrl?: string,
): string {
  const expires = now < expiresAt.getTime() ? 'Expires' : 'Expired';
  const service = baseUrl === undefined ? '' : ` --base-url ${shownWord(baseUrl)}`;
  return [
    // Some services write an unset time as the zero value of their language.
    expiresAt.getTime() <= 0
      ? 'The service sets no expiry time for it.'
      : `${expires} ${relativeTime(expiresAt, now)}, at ${exactTime(expiresAt)}.`,
    'Activate a connector with it, on its machine; the command asks for the token:',
    `  connectorctl connector activate${service}`,
  ].join('\n');
}

/** Warns of connectors that only the service calls online; undefined without any. */
export function contradictedNotice(labels: readonly string[]): string | undefined {
  if (labels.length === 0) return undefined;
  const named = escapeControl(firstOf(labels, 5).join(', '));
  const verb = labels.length === 1 ? 'is' : 'are';
  const {counts, advice} = ruleTable['max-contradicted'];
  return `Warning: ${named} ${verb} ${predicateOf(counts)}: ${advice}.`;
}

/** The warning about a service without `Date`: Puma, and Jetty as a standalone server, send none by default. */
export const noDateText =
  'the service sends no `Date`, so ages count from the clock of this machine, which may be wrong';

/**
 * Warns of a second token, a wrong clock, here or at the service, and a service that ignored the requested lifetime.
 *
 * @param now this machine's time in milliseconds since the Unix epoch; undefined to leave out the comparison
 * @param lifetime the requested lifetime in seconds, if any
 */
export function tokenWarnings(
  token: ActivationTokenReading,
  now: number | undefined,
  lifetime: number | undefined,
): readonly string[] {
  const {serverTime} = token;
  const warnings: string[] = [];
  if (token.otherMayExist) warnings.push(otherTokenNotice);
  if (now !== undefined && serverTime && Math.abs(serverTime.getTime() - now) >= clockTolerance) {
    warnings.push(
      `Warning: the service's clock says ${exactTime(serverTime)}, and this machine's ${exactTime(new Date(now))}; one of them is wrong.`,
    );
  }
  if (lifetime !== undefined && ignoresLifetime(token, lifetime)) {
    warnings.push(
      `Warning: the token does not expire after --ttl (${lifetime} s); this service may not support --ttl.`,
    );
  }
  return warnings;
}

/** The warning about a token that a second or later attempt created. */
export const otherTokenNotice =
  'Warning: the response to an earlier attempt was lost, so another token may exist, which nobody has read; unused, it expires by itself.';

/** The warning about an empty 200 response, and what may have sent it. */
export function blankNotice({server = 'an unnamed program'}: BlankResponse): string {
  return `${escapeControl(server)} answered 200 with an empty response, as some proxies do for a host that they do not serve. Check the base URL, and the proxies and gateways between here and the service.`;
}

/** The hint below a list that is empty because no name matches a glob. */
export const noNameNotice = (globs: readonly string[]): string =>
  `No name matches ${globs.map(shownWord).join(' or ')}: * is any text, ? one character.`;

/** The hint below an empty list. @param filtered whether filters were set */
export function emptyListNotice(filtered: boolean): string {
  if (filtered) return 'No connector matches. To see all of them: connectorctl connector list';
  return [
    'No connectors yet. Create an activation token, then activate a connector with it:',
    '  connectorctl token create',
    '  connectorctl connector activate',
  ].join('\n');
}

/** The command that creates an API key. @param store as on the command line; undefined for the default one */
export function keyCreateCommand(store: string | undefined, organization = ''): string {
  const named = organization === '' ? '' : ` --organization ${organization}`;
  const option = store === undefined ? '' : ` --store ${shownWord(store)}`;
  return `connectorctl key create${named}${option}`;
}

/** A text as one word of a POSIX shell, safe to show. */
export const shownWord = (text: string): string => shellWord(escapeControl(text));
