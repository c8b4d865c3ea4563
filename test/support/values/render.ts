import * as fc from 'fast-check';
import type {ConnectorReading} from '../../../src/client/types.js';
import type {TableOptions} from '../../../src/connector/fields/table.js';
import {noColors} from '../../../src/terminal/escape.js';
import {anyCharacter} from './any-character.js';

/** Noon of a day in 2026, in milliseconds since the Unix epoch. */
export const now = Date.UTC(2026, 6, 1, 12);

export const plain: TableOptions = {width: undefined, palette: noColors, now: () => now};

/** A connector of the reference service, 12 seconds after its last heartbeat; `raw` follows the fields. */
export function reading(fields: Partial<ConnectorReading> = {}): ConnectorReading {
  const connector = {
    id: 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    name: 'build-1',
    organization: 'acme',
    status: 'online',
    activatedAt: new Date(now - 3 * 24 * 3600_000),
    lastHeartbeatAt: new Date(now - 12_000),
    identitySharedAt: undefined,
    startsLastHour: undefined,
    ...fields,
  };
  return {raw: rawOf(connector), ...connector};
}

function rawOf(connector: Omit<ConnectorReading, 'raw'>): ConnectorReading['raw'] {
  const {id, name, organization, status, activatedAt, lastHeartbeatAt} = connector;
  const {identitySharedAt, startsLastHour} = connector;
  return {
    id,
    ...(name !== undefined && {name}),
    ...(organization !== undefined && {organization}),
    ...(status !== undefined && {status}),
    ...(activatedAt && {activated_at: activatedAt.toISOString()}),
    ...(lastHeartbeatAt !== undefined && {
      last_heartbeat_at: lastHeartbeatAt?.toISOString() ?? null,
    }),
    ...(identitySharedAt && {identity_shared_at: identitySharedAt.toISOString()}),
    ...(startsLastHour !== undefined && {starts_last_hour: startsLastHour}),
  };
}

/** A connector with only the fields that the interface requires: an id and a name. */
export function bareReading(id: string, name?: string): ConnectorReading {
  return {
    id,
    name,
    organization: undefined,
    status: undefined,
    activatedAt: undefined,
    lastHeartbeatAt: undefined,
    identitySharedAt: undefined,
    startsLastHour: undefined,
    raw: {id, ...(name !== undefined && {name})},
  };
}

export const collect = (texts: Iterable<string>): string => [...texts].join('');

/** Texts that are difficult for a terminal, a parser or a width calculation. */
export const awkwardText = fc
  .array(
    fc.oneof(
      fc.string({unit: 'grapheme', maxLength: 6}),
      fc.string({unit: anyCharacter, maxLength: 3}),
      // Controls, directions, invisible characters, clusters, wide and combined scripts, and syntax.
      fc.constantFrom('\u001b[31m', '\u001b]0;title\u0007', '\u009b2J', '\r', '\n', '\t', '\u007f'),
      fc.constantFrom(
        '\u0085',
        '\u202e',
        '\u2066',
        '\u200f',
        '\u061c',
        '\u2028',
        '\ufeff',
        '\u200b',
      ),
      fc.constantFrom('\u{e0041}', '\ud83d', '\udc00', '\u0301', '\u200d', '\ufe0f'),
      fc.constantFrom('👩‍💻', '👨‍👩‍👧‍👦', '🇩🇪', '🇩', '👍🏽', '🏽', '1️⃣', '☎️'),
      fc.constantFrom('漢字', 'ﾊﾟ', '한글', '각', 'é', 'क्षि', 'กำ', 'עִבְרִית', '￥'),
      fc.constantFrom('=1+1', '"', ',', "'", '\\', ' '),
    ),
    {maxLength: 12},
  )
  .map((parts) => parts.join(''));

/** Characters that no output may contain, listed here independently of the code under test. */
export const terminalControls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what the tests look for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/u;
