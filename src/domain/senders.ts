/** The processes that sent the last heartbeats of a connector, by the random ids that they send. */
export interface Senders {
  readonly last: string;
  /** An earlier process, watched for its return; null while there was only one. */
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

/** An earlier sender is watched for this many intervals. Its return proves two processes, for as many intervals. */
const sharedIntervals = 3;

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
  if (senders === null) return {last: id, before: null, beforeAt: null, sharedAt: null};
  const {last, before, beforeAt, sharedAt} = senders;
  if (id === last) return senders;
  const isWatched = beforeAt !== null && at - beforeAt <= sharedIntervals * interval;
  if (isWatched && id !== before) return {...senders, last: id};
  return {last: id, before: last, beforeAt: lastHeartbeatAt, sharedAt: isWatched ? at : sharedAt};
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
