import {setTimeout as delay} from 'node:timers/promises';
import {tokenRetentionDays, unusedTokenRetention} from '../../domain/activation.js';
import {day, minute} from '../../domain/time.js';
import type {StoreLog} from '../store.js';
import type {Database} from './database.js';
import {statements} from './statements.js';

/** Milliseconds between two rounds. */
const interval = 10 * minute;

/**
 * Deletes tokens that expired long ago, until it is stopped. Any process may do it.
 *
 * @returns resolves when a running round has ended
 */
export async function forgetTokens(
  database: Database,
  now: () => number,
  log: StoreLog,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const times = [now() - tokenRetentionDays * day, now() - unusedTokenRetention];
    try {
      await database.longTransaction((run) => run(statements.forgetTokens, times));
    } catch (error) {
      log.warn({err: error}, 'cannot delete old tokens; retrying later');
    }
    await delay(interval, undefined, {signal, ref: false}).catch(() => {});
  }
}
