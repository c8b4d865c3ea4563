import type {Store} from '../../store/store.js';
import type {Log, NoteKeyUse} from '../context.js';

/** How far the time of a key's last use may lag behind, in milliseconds. */
const lagMilliseconds = 60_000;

/**
 * Records the time of each key's last use in the store, at most once per minute and key, because a read must
 * not cost a write. A use that is lost in a crash or a failed write is not recorded later; the next use after
 * a minute is.
 */
export function createKeyUses(store: Store, log: Log): NoteKeyUse {
  // Bounded by the number of keys: unknown keys are refused before this.
  const noted = new Map<string, number>();
  return ({id, lastUsedAt}, at) => {
    if (at - Math.max(lastUsedAt ?? 0, noted.get(id) ?? 0) < lagMilliseconds) return;
    noted.set(id, at);
    store.recordKeyUse(id, at).catch((error: unknown) => {
      log.debug({err: error, key_id: id}, 'cannot record the use of a key');
    });
  };
}
