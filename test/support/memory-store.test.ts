import type {Bounds} from '../../src/store/store.js';
import {MemoryStore} from './memory-store.js';
import {describeStore} from './store/conformance.js';

describeStore('the store in memory', async () => {
  const store = new MemoryStore();
  return {
    now: 0,
    set bounds(bounds: Bounds | undefined) {
      store.bounds = bounds;
    },
    async open() {
      store.failure = undefined;
      return store;
    },
    cleanup: async () => undefined,
  };
});
