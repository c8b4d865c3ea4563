import {MemoryStore} from './memory-store.js';
import {describeStore} from './store/conformance.js';

describeStore('the store in memory', async () => {
  const store = new MemoryStore();
  return {
    async open() {
      store.failure = undefined;
      return store;
    },
    cleanup: async () => undefined,
  };
});
