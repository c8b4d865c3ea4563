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
  /** No unused token that expired before this time is left. */
  let unusedBefore = 0;
  while (!signal.aborted) {
    const used = now() - tokenRetentionDays * day;
    const unused = now() - unusedTokenRetention;
    try {
      await database.longTransaction(async (run) => {
        await run(statements.forgetTokens, [used]);
        await run(statements.forgetUnusedTokens, [Math.min(unusedBefore, unused), unused]);
      });
      unusedBefore = unused;
    } catch (error) {
      log.warn({err: error}, 'cannot delete old tokens; retrying later');
    }
    await delay(interval, undefined, {signal, ref: false}).catch(() => {});
  }
}
