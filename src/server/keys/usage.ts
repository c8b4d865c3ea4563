import type {Store} from '../../store/store.js';
import type {Log, NoteKeyUse} from '../context.js';

/** How far the time of a key's last use may lag behind, in milliseconds. */
const lagMilliseconds = 60_000;

/**
 * Keeps the time of each key's last use in the store, at most once a minute and key, so that reading
 * does not cost a write. A use whose note is lost (in a crash, or while the store cannot write) is
 * not noted again; the next minute's is.
 */
export function createKeyUses(store: Store, log: Log): NoteKeyUse {
  // One entry for each key that exists: a key that does not is refused before it comes here.
  const noted = new Map<string, number>();
  return ({id, lastUsedAt}, at) => {
    if (at - Math.max(lastUsedAt ?? 0, noted.get(id) ?? 0) < lagMilliseconds) return;
    noted.set(id, at);
    store.recordKeyUse(id, at).catch((error: unknown) => {
      log.debug({err: error, key_id: id}, 'the use of a key could not be noted');
    });
  };
}
