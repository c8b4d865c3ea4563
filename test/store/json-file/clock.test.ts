import {expect} from 'chai';
import {StoreDirectory} from '../../support/json-file/fixture.js';
import {activate, minute, start} from '../../support/store/samples.js';

describe('a JSON file store whose clock is set back', () => {
  it('warns at start of heartbeats from the future, says how far ahead they are, and keeps them', async () => {
    const directory = await StoreDirectory.make();
    const scope = {organization: 'acme'};
    const future = start + 3 * 60 * minute;
    const openAt = (now: number) => {
      directory.now = now;
      return directory.open();
    };
    try {
      let store = await openAt(start);
      const {id} = await activate(store);
      await store.recordHeartbeat(id, future, scope);
      await store.close();
      store = await openAt(future - minute);
      await store.close();
      expect(directory.log).to.deep.equal([]);
      store = await openAt(start);
      const response = await store.recordHeartbeat(id, start + minute, scope);
      await store.close();
      expect(response?.lastHeartbeatAt).to.equal(future);
      expect(directory.log).to.deep.equal([
        {
          level: 'warn',
          details: {seconds: 3 * 60 * 60, latest: new Date(future).toISOString()},
          message:
            'heartbeats are recorded ahead of the clock; until it has caught up their connectors are shown online, dead or alive',
        },
      ]);
    } finally {
      await directory.cleanup();
    }
  });
});
