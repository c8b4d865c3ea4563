import {minute} from './time.js';

/** The processes that sent the last heartbeats of a connector, by the random ids that they send. */
export interface Senders {
  /** The process of the last heartbeat. */
  readonly last: string;
  /** Time of that process's first heartbeat. */
  readonly since: number;
  /** The processes before the last one, in order; null while only one process has sent heartbeats. */
  readonly earlier: readonly EarlierSender[] | null;
  /** Time at which two processes last sent heartbeats in turn; null if that never happened. */
  readonly sharedAt: number | null;
}

/** A process that another process replaced, with the times of its first and last heartbeat. */
interface EarlierSender {
  readonly id: string;
  readonly since: number;
  readonly until: number;
}

/** A heartbeat's process, and the interval of heartbeats in milliseconds. */
export interface Sender {
  readonly id: string;
  readonly interval: number;
}

/** An earlier sender that returns within this many intervals proves two processes, for as many intervals. */
const sharedIntervals = 3;

/** Milliseconds for which a start counts; one of the `mostEarlier` processes is remembered at least as long. */
const startsPeriod = 60 * minute;

/** Maximum number of remembered earlier processes, eight with the last one: a restart loop must not fill the memory. */
const mostEarlier = 7;

/**
 * The senders after another heartbeat. One identity on several machines shows as A, B, A or A, B, C, A: a process that
 * was replaced never sends again, so a restart is A, B, B, however often it happens.
 *
 * @param lastHeartbeatAt time of the previous heartbeat
 */
export function sentBy(
  senders: Senders | null,
  {id, interval}: Sender,
  at: number,
  lastHeartbeatAt: number | null,
): Senders {
  if (senders === null) return {last: id, since: at, earlier: null, sharedAt: null};
  const {last, since, sharedAt} = senders;
  if (id === last) return senders;
  const watch = sharedIntervals * interval;
  const within = (period: number) => (one: EarlierSender) => at - one.until <= period;
  const earlier = [...(senders.earlier ?? []), {id: last, since, until: lastHeartbeatAt ?? at}];
  const remembered = earlier.filter(within(Math.max(startsPeriod, watch)));
  const known = remembered.find((one) => one.id === id);
  const others = remembered.filter((one) => one !== known);
  // When many processes send in turn, the first one must stay in the list until it sends again.
  if (others.length > mostEarlier) others.splice(others.findIndex(within(watch)) === 0 ? 1 : 0, 1);
  return {
    last: id,
    since: known?.since ?? at,
    earlier: others,
    sharedAt: known !== undefined && within(watch)(known) ? at : sharedAt,
  };
}

/**
 * The time at which two processes last sent heartbeats in turn; null if never, or too long ago to count.
 *
 * @param interval the time between heartbeats in milliseconds
 */
export function sharedAt(senders: Senders | null, now: number, interval: number): number | null {
  const at = senders?.sharedAt ?? null;
  return at !== null && now - at <= sharedIntervals * interval ? at : null;
}

/** The number of processes, up to eight, that began to send heartbeats within the last hour. */
export function startsLastHour(senders: Senders | null, now: number): number {
  const all = senders === null ? [] : [senders, ...(senders.earlier ?? [])];
  return all.filter(({since}) => now - since <= startsPeriod).length;
}
