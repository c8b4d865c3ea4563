import {openStore} from '../../../src/store/open.js';
import {RecordedLog} from './recorded-log.js';

/** Makes an empty store at a location unless there is one, as the first start of `serve` does. */
export async function makeStore(location: string): Promise<void> {
  const store = await openStore(location, {log: new RecordedLog(), now: Date.now});
  await store.close();
}
