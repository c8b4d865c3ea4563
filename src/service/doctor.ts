import {traits} from '../client/context.js';
import type {Client, ServiceFacts} from '../client/types.js';
import type {JsonObject} from '../domain/json.js';
import {day} from '../domain/time.js';
import {counted} from '../domain/words.js';
import {AppError} from '../errors.js';
import type {DoctorJson} from '../report/output.js';
import {duration, exactTime} from '../terminal/time.js';

/** The largest accepted clock difference, in milliseconds: smaller than the client's tolerance, to warn early. */
const toleratedDifference = 30_000;

/** A certificate that expires in fewer days needs a renewal. */
const fewDays = 14;

/** Tests the API key by reading the connector, or without an id the list. @returns the result as a phrase */
export async function tryKey(
  client: Client,
  hasKey: boolean,
  connectorId: string | undefined,
): Promise<string> {
  if (connectorId !== undefined) await client.getConnector(connectorId);
  else await firstConnector(client);
  if (!hasKey) return 'no key is set, and the service requires none';
  return `the service accepts it${connectorId === undefined ? '' : ` for ${connectorId}`}`;
}

/** The first connector of a key's organization, to test the key. @throws AppError as the client does */
export async function firstConnector(client: Client): Promise<JsonObject | undefined> {
  try {
    const [first] = await client.listConnectors().all({atMost: 1});
    return first;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const purpose = `Cannot ${traits.list.purpose}`;
    throw error.with({message: error.message.replace(purpose, 'Cannot test the API key')});
  }
}

/** The rows about a service; empty without a response. */
export function serviceRows(facts?: ServiceFacts): readonly (readonly [string, string])[] {
  if (facts?.connection === undefined) return [];
  const {address, proxy, certificateEnd} = facts.connection;
  return [
    ['address', address],
    ['proxy', proxy ?? 'none'],
    ['certificate', certificateText(certificateEnd)],
    ['clock', clockText(facts)],
  ];
}

/** A service as `doctor --json` shows it. */
export function serviceJson(facts: ServiceFacts | undefined): Omit<DoctorJson, 'key' | 'settings'> {
  const {connection, clockAhead, hasVirtualClock = false} = facts ?? {};
  const end = connection?.certificateEnd;
  return {
    address: connection?.address ?? null,
    proxy: connection?.proxy ?? null,
    certificate_end: end === undefined ? null : exactTime(end),
    clock_ahead: clockAhead === undefined ? null : Math.round(clockAhead / 1000),
    virtual_clock: hasVirtualClock,
  };
}

function certificateText(end: Date | undefined): string {
  if (end === undefined) return 'none: the connection is not encrypted';
  const days = Math.floor((end.getTime() - Date.now()) / day);
  const left = counted(days, 'more day');
  return `valid until ${exactTime(end)}, ${left}${days < fewDays ? ': renew it soon' : ''}`;
}

function clockText({clockAhead: ahead, hasVirtualClock}: ServiceFacts): string {
  if (ahead === undefined) return 'the service sends no time';
  const difference = duration(Math.abs(ahead), Math.round);
  if (hasVirtualClock) return `virtual, ${difference} ${ahead < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(ahead) <= toleratedDifference) return `within ${difference} of the service`;
  return `this machine is ${difference} ${ahead < 0 ? 'ahead of' : 'behind'} the service: correct the wrong clock, or tokens expire early or late`;
}
