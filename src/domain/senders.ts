/** The processes that sent the last heartbeats of a connector, by the random ids that they send. */
export interface Senders {
  readonly last: string;
  /** The process before it; null while there was only one. */
  readonly before: string | null;
  /** Time of the last heartbeat of `before`. */
  readonly beforeAt: number | null;
  /** Time at which two processes last sent in turn; null if they never did. */
  readonly sharedAt: number | null;
}

/** A heartbeat's process, and the interval of heartbeats in milliseconds. */
export interface Sender {
  readonly id: string;
  readonly interval: number;
}

/** A sender that returns within this many intervals proves two processes. The proof counts for as many intervals. */
const sharedIntervals = 3;

/**
 * The senders after another heartbeat. One identity on two machines shows as A, B, A: a process that was replaced never
 * sends again, so a restart is A, B, B, however often it happens.
 *
 * @param lastHeartbeatAt time of the previous heartbeat
 */
export function sentBy(
  senders: Senders | null,
  {id, interval}: Sender,
  at: number,
  lastHeartbeatAt: number | null,
): Senders {
  if (senders === null) return {last: id, before: null, beforeAt: null, sharedAt: null};
  const {last, before, beforeAt, sharedAt} = senders;
  if (id === last) return senders;
  const isBack = id === before && at - (beforeAt ?? at) <= sharedIntervals * interval;
  return {last: id, before: last, beforeAt: lastHeartbeatAt, sharedAt: isBack ? at : sharedAt};
}

/**
 * The time at which two processes last sent in turn; null if they never did, or too long ago to count.
 *
 * @param interval the time between heartbeats in milliseconds
 */
export function sharedAt(senders: Senders | null, now: number, interval: number): number | null {
  const at = senders?.sharedAt ?? null;
  return at !== null && now - at <= sharedIntervals * interval ? at : null;
}
